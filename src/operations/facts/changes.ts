/** Facts are added, ended, replaced and decided. */
import * as z from 'zod/mini';
import { UserError } from '../../core/errors.js';
import { BAR, line } from '../../core/outside.js';
import { write, writerOf } from '../../service/palace/writer.js';
import { warnRedacted } from '../../terminal/redactions.js';
import { drawerId, field, instant, moment, redact, redacted, text } from '../fields.js';
import { operation } from '../operation.js';
import { redactions } from '../told.js';
import {
  addedFields,
  addedFor,
  addedShown,
  arrowsOf,
  confidence,
  fact,
  factFor,
  idOf,
  ofTopic,
  origin,
  STORED,
  sayAdded,
  sentenceOf,
  shown,
  shownFact,
  TOLD,
  WHOLE,
  words,
  writing,
} from './fact.js';

const adding = () => import('../../knowledge/facts/add.js');
const ending = () => import('../../knowledge/facts/change.js');

export const changes = {
  kgAdd: operation({
    name: 'kg add',
    summary: 'Add a fact',
    quotes: true,
    makes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        ...words({ subject: 'as shop', object: 'as main' }),
        valid_from: moment('the start of its validity (inclusive)', {
          cli: '--from <moment>',
          agents: 'since when; YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ',
        }),
        valid_to: moment('the end of its validity (exclusive)', {
          cli: '--until <moment>',
          agents: 'end of its validity (exclusive)',
        }),
        confidence: confidence(),
        ...origin(),
        redact: redact(),
      }),
    output: () => z.strictObject(addedFields),
    check: async ({ redact: _, ...given }) => (await adding()).checkFact(given),
    run: ({ redact, ...given }, context) =>
      writing(context, redact, async (palace, how) =>
        addedShown(await (await adding()).addFact(palace, given, how), context.now),
      ),
    text: sayAdded,
    tool: {
      name: 'mempalace_kg_add',
      title: 'Add a fact',
      description:
        'Stores a short fact: subject, predicate, object, and since when. The same open fact is not stored twice. `conflicts` lists facts that contradict it: replace those with kg_supersede or end them with kg_invalidate.',
      core: true,
      idempotent: true,
      answer: (document) => ({
        ...addedFor(document),
        ...(!document.added && { reason: 'already_exists' }),
      }),
      logged: ['triple_id'],
    },
  }),
  kgInvalidate: operation({
    name: 'kg invalidate',
    summary: 'End a fact',
    quotes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        ...words(STORED),
        at: moment('the time of the change (default: now)', {
          cli: '--at <moment>',
          tool: 'ended',
          agents: 'end of its validity (exclusive), YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ; default: now',
        }),
      }),
    output: () => z.strictObject({ at: instant, ended: z.array(fact), open: z.array(fact) }),
    run: ({ at, ...words }, context) =>
      writing(context, true, async (palace, { record }) => {
        const done = (await ending()).invalidateFact(palace, words, { at, now: context.now, record });
        return { at: done.at, ended: shown(done.ended, context.now), open: shown(done.open, context.now) };
      }),
    text({ ended, open }, terminal) {
      for (const each of ended) terminal.say(`ended: ${sentenceOf(each)}`);
      if (ended.length > 0) return;
      terminal.note('no such fact is open');
      for (const each of open) terminal.note(`open: ${sentenceOf(each)}`);
      return 'nothing found';
    },
    tool: {
      name: 'mempalace_kg_invalidate',
      title: 'End a fact',
      description:
        'Ends an open fact; it stays as history. When something else is true instead, use kg_supersede.',
      core: true,
      answer({ ended, open, at }) {
        const [first] = ended;
        if (first !== undefined)
          return { success: true, fact: arrowsOf(first), ended: at, triple_ids: ended.map(idOf) };
        const others = open.slice(0, TOLD).map(({ object }) => JSON.stringify(object));
        throw new UserError('not-found', 'no current fact matches', {
          hint:
            others.length === 0
              ? 'mempalace_kg_query shows what is known'
              : `open with this predicate: ${others.join(', ')}`,
        });
      },
      logged: ['triple_ids'],
    },
  }),
  kgSupersede: operation({
    name: 'kg supersede',
    summary: 'Replace a fact by a new one',
    quotes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        ...ofTopic(STORED),
        former: field(z.optional(z.string()), 'the former object (default: the current one)', {
          cli: '[old]',
          tool: 'old_object',
          agents: 'the former object; default: the current one',
        }),
        object: field(z.string(), 'the object that is true instead', {
          cli: '<new>',
          tool: 'new_object',
          agents: 'what is true instead',
        }),
        at: moment('the time of the change (default: now)', {
          cli: '--at <moment>',
          agents: 'YYYY-MM-DD or YYYY-MM-DDTHH:MM:SSZ; default: now',
        }),
        confidence: confidence({ tool: null }),
        ...origin(),
        redact: redact(),
      }),
    output: () => z.strictObject({ at: instant, ended: z.array(fact), ...addedFields }),
    run: ({ former, at, redact, ...given }, context) =>
      writing(context, redact, async (palace, how) => {
        const { supersedeFact } = await ending();
        const done = await supersedeFact(palace, { ...given, valid_from: at }, former, how);
        return { at: done.at, ended: shown(done.ended, context.now), ...addedShown(done, context.now) };
      }),
    text(document, terminal) {
      for (const each of document.ended) terminal.say(`ended: ${sentenceOf(each)}`);
      sayAdded(document, terminal);
    },
    tool: {
      name: 'mempalace_kg_supersede',
      title: 'Replace a fact with what is true now',
      description:
        'Ends a fact and begins its successor at one moment, so that exactly one of them is always true. For single values: owner, port, version, employer.',
      answer: (document) => ({
        ...addedFor(document),
        at: document.at,
        ended: document.ended.slice(-TOLD).map(factFor),
      }),
      logged: ['triple_id'],
    },
  }),
  kgResolve: operation({
    name: 'kg resolve',
    summary: 'Decide between two facts that contradict each other',
    quotes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        facts: field(z.tuple([text(), text()]), 'the two facts (see `mempalace facts conflicts`)', {
          cli: '<id> <other>',
          tool: ['triple_id', 'other_id'],
        }),
        keep: field(text(), 'the one that is true; the other one is ended', {
          cli: '--keep <id>',
          agents: 'the one of the two that is true',
        }),
        because: field(
          z.string().check(z.trim(), z.minLength(1, 'the reason is empty'), z.maxLength(10_000)),
          'why; it is filed where search finds it',
          { cli: '--because <reason>', agents: 'why' },
        ),
      }),
    output: () =>
      z.strictObject({
        kept: fact,
        ended: fact,
        at: instant,
        source_key: z.string(),
        drawers: z.array(drawerId),
        redacted,
      }),
    async run(resolution, context) {
      const { call, models, now } = context;
      const { agent: addedBy, signal } = call;
      const { resolveConflict } = await import('../../knowledge/conflicts/resolve.js');
      const sanitiser = await writerOf(context).sanitiser();
      const done = await write(context, call, (palace, run) => {
        const embedder = () => models.wait(palace.model, signal);
        return resolveConflict(palace, resolution, { sanitiser, embedder, addedBy, run, signal });
      });
      return { ...done, kept: shownFact(done.kept, now), ended: shownFact(done.ended, now) };
    },
    text({ kept, ended, source_key, redacted }, terminal) {
      terminal.say(`kept: ${BAR}${line(arrowsOf(kept))}`);
      terminal.say(`ended: ${BAR}${line(arrowsOf(ended))}`);
      terminal.say(`filed as ${source_key}`);
      warnRedacted(redacted, terminal);
    },
    address: 'Ends one of two facts that contradict each other, and files why',
    logged: ['facts', 'keep'],
    tool: {
      name: 'mempalace_kg_resolve',
      title: 'Decide between two facts',
      description:
        'Ends one of two facts that contradict each other, which stays as history, and files your reason where search finds it. Ask the user when you are not sure.',
      answer: ({ kept, ended, redacted, ...done }) => ({
        success: true,
        kept: factFor(kept),
        ended: factFor(ended),
        ...done,
        ...redactions(redacted),
      }),
      logged: ['kept', 'ended'],
    },
  }),
};
