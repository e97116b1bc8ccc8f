/** A fact: its fields, and how it is shown, printed and told. */
import * as z from 'zod/mini';
import { BAR, line, NOTICE } from '../../core/outside.js';
import type { FactWriting } from '../../knowledge/facts/add.js';
import { holdsAt, secondText } from '../../knowledge/facts/instant.js';
import { recording, write, writerOf } from '../../service/palace/writer.js';
import type { Fact as FactRow, Palace } from '../../store/index.js';
import { warnRedacted } from '../../terminal/redactions.js';
import { type Column, renderTable } from '../../terminal/table.js';
import type { Terminal } from '../../terminal/terminal.js';
import { drawerId, field, instant, name, redacted, share, text } from '../fields.js';
import type { Context } from '../operation.js';
import { redactions, shortened, told } from '../told.js';

const factId = z.string().check(z.regex(/^fact_[0-9a-f]{24}$/));
const factFields = {
  triple_id: factId,
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  valid_from: z.nullable(instant),
  valid_to: z.nullable(instant),
  confidence: z.number(),
  source_key: name,
  source_drawer_id: z.nullable(drawerId),
  source_file: name,
  source_closet: name,
  added_by: z.string(),
  recorded_at: z.iso.datetime(),
};
export const fact = z.strictObject({ ...factFields, current: z.boolean() });
export type Fact = z.output<typeof fact>;
export const addedFields = { added: z.boolean(), fact, conflicts: z.array(fact), redacted };

export const ofTopic = (agents: { subject: string }) => ({
  subject: field(z.string(), 'what the fact is about', { cli: '<subject>', agents: agents.subject }),
  predicate: field(z.string(), 'the property or relation', {
    cli: '<predicate>',
    agents: 'short, as works_at, default_branch',
  }),
});
export const words = (agents: { subject: string; object: string }) => ({
  ...ofTopic(agents),
  object: field(z.string(), 'its value; put several words in quotes', {
    cli: '<object>',
    agents: agents.object,
  }),
});
export const STORED = { subject: 'as stored', object: 'as stored' };

export const confidence = (more: { tool?: null } = {}) =>
  field(z._default(share, 1), 'how certain the fact is, 0 to 1', {
    cli: '--confidence <x>',
    agents: '',
    ...more,
  });
export const origin = () => ({
  source_drawer_id: field(
    z.optional(text()),
    'the drawer that states it; forgetting its source erases the fact',
    { cli: '--drawer <id>', hits: true, agents: 'the drawer that states it' },
  ),
  source_file: field(z.optional(text()), 'a source, or a description of one', {
    cli: '--source <name>',
    agents: 'other source',
  }),
  source_closet: field(z.optional(text()), 'for old prompts', { cli: null }),
});
export const WHOLE = 'facts belong to the whole palace';

/** Facts that an answer for agents lists beside another, at most: the last added. */
export const TOLD = 20;
export const PREDICATES_TOLD = 200;

/** A short write of facts, recorded as a run. */
export async function writing<Done>(
  context: Context,
  redact: boolean,
  work: (palace: Palace, how: FactWriting) => Promise<Done>,
): Promise<Done> {
  const { call, now } = context;
  const sanitiser = await writerOf(context).sanitiser(redact);
  return write(context, call, (palace, run) =>
    work(palace, { sanitiser, addedBy: call.agent, now, record: recording(palace, run) }),
  );
}

interface Added {
  added: boolean;
  fact: FactRow;
  conflicts: FactRow[];
  redacted: Record<string, number>;
}

export function addedShown({ added, fact, conflicts, redacted }: Added, now: Date) {
  return { added, fact: shownFact(fact, now), conflicts: shown(conflicts, now), redacted };
}

export const shown = (facts: readonly FactRow[], now: Date): Fact[] =>
  facts.map((each) => shownFact(each, now));

/** A fact as every channel shows it. */
export function shownFact(row: FactRow, now: Date): Fact {
  const { triple_id, subject, predicate, object, valid_from, valid_to, confidence } = row;
  const { source_key, source_drawer_id, source_file, source_closet, added_by, recorded_at } = row;
  return {
    ...{ triple_id, subject, predicate, object, valid_from, valid_to, confidence },
    ...{ source_key, source_drawer_id, source_file, source_closet, added_by, recorded_at },
    current: holdsAt(row, secondText(now)),
  };
}

export const idOf = ({ triple_id }: Fact): string => triple_id;

/** A fact for an agent. */
export function factFor(fact: Fact) {
  const { confidence, source_key: _, added_by: _by, recorded_at: _at, ...rest } = fact;
  return told({
    ...rest,
    confidence: confidence === 1 ? null : confidence,
    source_file: shortened(rest.source_file),
    source_closet: shortened(rest.source_closet),
  });
}

interface AddedShown {
  added: boolean;
  fact: Fact;
  conflicts: Fact[];
  redacted: Record<string, number>;
}

export function addedFor({ fact, conflicts, redacted }: AddedShown) {
  return {
    success: true,
    triple_id: fact.triple_id,
    fact: arrowsOf(fact),
    details: factFor(fact),
    conflicts: conflicts.slice(-TOLD).map(factFor),
    ...redactions(redacted),
  };
}

export function sayAdded({ fact, added, conflicts, redacted }: AddedShown, terminal: Terminal): void {
  terminal.say(`${added ? 'added' : 'exists already'}: ${sentenceOf(fact)}`);
  for (const other of conflicts) terminal.note(`conflicts with: ${sentenceOf(other)}`);
  if (conflicts.length > 0)
    terminal.note(
      '  hint: both facts are kept; `mempalace facts resolve` ends the wrong one (mempalace facts conflicts)',
    );
  warnRedacted(redacted, terminal);
}

type Words = Pick<Fact, 'subject' | 'predicate' | 'object'>;

export const arrowsOf = ({ subject, predicate, object }: Words): string =>
  `${subject} → ${predicate} → ${object}`;

/** `│ shop default_branch main (2026-03-01 – 2026-05-01)` */
export function sentenceOf(fact: Words & Times): string {
  const when = timeOf(fact);
  return BAR + line(`${fact.subject} ${fact.predicate} ${fact.object}`) + (when === '' ? '' : ` (${when})`);
}

type Times = Pick<Fact, 'valid_from' | 'valid_to'>;

function timeOf({ valid_from, valid_to }: Times): string {
  if (valid_from === null && valid_to === null) return '';
  if (valid_to === null) return `since ${valid_from}`;
  return valid_from === null ? `until ${valid_to}` : `${valid_from} – ${valid_to}`;
}

const COLUMNS: Column[] = [{ style: 'cyan', share: 0.3 }, {}, { share: 0.3 }, {}, { style: 'dim' }];

export function printFacts(facts: readonly Fact[], terminal: Terminal): void {
  if (facts.length === 0 || terminal.options.json) return;
  terminal.note(`facts (${NOTICE})`);
  const rows = facts.map((fact) => {
    const sure = fact.confidence < 1 ? `${Math.round(fact.confidence * 100)} %` : '';
    const marks = [fact.current ? '' : 'not current', sure].filter((mark) => mark !== '');
    const [subject = '', ...words] = [fact.subject, fact.predicate, fact.object].map(line);
    return [BAR + subject, ...words, timeOf(fact), marks.join(', ')];
  });
  const { width, style } = terminal;
  for (const row of renderTable(rows, COLUMNS, { width, paint: style })) terminal.data(row);
}
