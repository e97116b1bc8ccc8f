/** Texts that agents file, change and delete, and what is like them. */
import * as z from 'zod/mini';
import { LONGEST_AGENT, tidyAgent } from '../../core/agent-name.js';
import { forgottenError } from '../../core/forgotten.js';
import { OMITTED } from '../../core/omitted.js';
import { diary } from '../diary.js';
import { count, field, LONGEST_NAME, named, redacted, share, within } from '../fields.js';
import { operation } from '../operation.js';
import { inItself, inItsOwn } from '../wing.js';
import { getDrawer } from './show.js';

const filing = () => import('./filing.js');

const PLACE_CHARS = 300;
/** Longest text that is filed, UTF-16 units. */
const CONTENT_CHARS = 100_000;
const ITEMS = 50;

const short = (longest: number) => z.string().check(z.minLength(1), z.maxLength(longest));
const place = () => short(PLACE_CHARS);
const content = () =>
  short(CONTENT_CHARS).check(z.refine((text: string) => text.trim() !== '', 'the text is empty'));
const drawerNamed = () => field(named(), 'id of one of its drawers', { agents: '' });
const addedBy = (description: string) => field(z.optional(short(LONGEST_AGENT)), description);
const filerOf = (name = ''): string | undefined => tidyAgent(name) || undefined;
const threshold = (description: string) => field(z._default(share, 0.9), description);

// Unknown fields of these are ignored, as those of every call by an agent.
const item = () => {
  const given = z.string().check(z.maxLength(LONGEST_NAME));
  const meant = z.transform((text: string) => (OMITTED.test(text) ? undefined : text));
  const source_file = field(z.optional(z.pipe(given, meant)), 'its subject');
  return z.object({ wing: place(), room: place(), content: content(), source_file });
};
const note = () => {
  const { agent, entry, topic, wing } = diary.diaryWrite.input().shape;
  return z.object({ agent_name: agent, entry, topic, wing });
};
export type Draft = z.output<ReturnType<typeof item>>;
export interface Session {
  items: Draft[];
  diary?: z.output<ReturnType<typeof note>> | undefined;
  dedup_threshold: number;
  within?: string | undefined;
}

/** A text that is filed. */
const filed = {
  success: z.literal(true),
  drawer_id: z.string(),
  wing: z.string(),
  room: z.string(),
  source_file: z.string(),
  /** Number of its drawers. */
  chunks: count,
  /** The first ones, if there are several. */
  chunk_ids: z.optional(z.array(z.string())),
  /** It was filed before: nothing was written now. */
  reason: z.optional(z.literal('already_exists')),
  redacted: z.optional(redacted),
};

/** A drawer that is like a text. */
const match = {
  id: z.string(),
  title: z.optional(z.string()),
  source_file: z.optional(z.string()),
  wing: z.string(),
  room: z.string(),
  similarity: share,
  /** Its beginning. */
  content: z.string(),
};

const same = <Document>(document: Document): Document => document;

export const drawers = {
  getDrawer,
  addDrawer: operation({
    name: 'drawer add',
    unsigned: true,
    inWing: inItsOwn,
    input: () =>
      z.strictObject({
        wing: field(place(), 'project or area, as wing_shop'),
        room: field(place(), 'topic, as decisions'),
        content: field(content(), 'Markdown or plain text, complete'),
        source_file: field(z.optional(named()), 'its subject or origin'),
        added_by: addedBy('who files it; default: you'),
      }),
    output: () => z.strictObject(filed),
    async run({ added_by, ...draft }, context) {
      const [text] = await (await filing()).fileTexts(context, [draft], filerOf(added_by));
      if (text === undefined) throw forgottenError();
      return text;
    },
    tool: {
      name: 'mempalace_add_drawer',
      title: 'File a text',
      description:
        'Files a text word for word, to be found again: a decision with its reason, a fact, a fix, an open question. Secrets are redacted. The same text in the same place is not filed twice.',
      core: true,
      idempotent: true,
      answer: same,
      logged: ['drawer_id', 'wing', 'room'],
    },
  }),
  updateDrawer: operation({
    name: 'drawer update',
    unsigned: true,
    inWing: (input, wing) => inItself(inItsOwn(input, wing), wing),
    input: () =>
      z.strictObject({
        drawer_id: drawerNamed(),
        content: field(z.optional(content()), 'what it says now', { agents: '' }),
        wing: field(z.optional(named()), 'move it there'),
        room: field(z.optional(named()), 'move it there'),
        within: within(),
      }),
    output: () => z.strictObject({ ...filed, noop: z.optional(z.literal(true)), previous_id: z.string() }),
    run: async ({ drawer_id, ...update }, context) => (await filing()).updateText(context, drawer_id, update),
    tool: {
      name: 'mempalace_update_drawer',
      title: 'Change or move a filed text',
      description:
        'Changes the content, wing or room of a text filed by add_drawer. The answer contains its new drawer_id. Sessions and documents change at their origin only.',
      destructive: true,
      idempotent: true,
      answer: same,
      logged: ['drawer_id', 'wing', 'room'],
    },
  }),
  deleteDrawer: operation({
    name: 'drawer delete',
    unsigned: true,
    inWing: inItself,
    input: () => z.strictObject({ drawer_id: drawerNamed(), within: within() }),
    output: () => z.strictObject({ success: z.literal(true), drawer_id: z.string(), drawers_removed: count }),
    run: async ({ drawer_id, within }, context) => (await filing()).deleteText(context, drawer_id, within),
    tool: {
      name: 'mempalace_delete_drawer',
      title: 'Delete a filed text',
      description:
        'Deletes a text filed by add_drawer, permanently. Sessions and documents are not touched: mempalace_delete_by_source forgets those.',
      destructive: true,
      answer: same,
      logged: ['drawer_id'],
    },
  }),
  similarDrawers: operation({
    name: 'drawer similar',
    reads: true,
    inWing: inItself,
    input: () =>
      z.strictObject({
        content: field(short(CONTENT_CHARS), 'the text', { agents: '' }),
        threshold: threshold('similarity from which it counts'),
        within: within(),
      }),
    output: () => z.strictObject({ is_duplicate: z.boolean(), matches: z.array(z.strictObject(match)) }),
    async run({ content, threshold, within }, context) {
      const { similarTo } = await import('./similar.js');
      const [matches = []] = await similarTo(context, [content], threshold, within);
      return { is_duplicate: matches.length > 0, matches };
    },
    tool: {
      name: 'mempalace_check_duplicate',
      title: 'Is this filed already?',
      description:
        'Whether the palace contains a text already, exactly or nearly. Use it before add_drawer when unsure.',
      core: true,
      answer: same,
    },
  }),
  saveSession: operation({
    name: 'drawer save',
    unsigned: true,
    inWing: ({ items, diary, ...input }, wing) => ({
      ...inItself(input, wing),
      items: items.map((item) => inItsOwn(item, wing)),
      diary: diary && inItsOwn(diary, wing),
    }),
    input: () =>
      z.strictObject({
        items: field(z.array(item()).check(z.maxLength(ITEMS)), 'texts', { agents: '' }),
        diary: field(z.optional(note()), 'an entry', { agents: '' }),
        dedup_threshold: threshold('skip texts at least this similar to a filed one; 1: only the same'),
        added_by: addedBy('who files it'),
        within: within(),
      }),
    output: () =>
      z.strictObject({
        success: z.boolean(),
        added: z.array(z.strictObject({ item: count, ...filed })),
        duplicates: z.array(z.strictObject({ item: count, ...match })),
        errors: z.array(
          z.strictObject({ item: count, error: z.string(), code: z.string(), hint: z.optional(z.string()) }),
        ),
        diary: z.optional(z.record(z.string(), z.unknown())),
      }),
    run: async ({ added_by, ...session }, context) =>
      (await import('./save.js')).save(context, session, filerOf(added_by)),
    tool: {
      name: 'mempalace_checkpoint',
      title: 'Save a session in one call',
      description:
        'Files several texts at once, each as add_drawer does, then writes the diary entry, if given. Texts that the palace already contains, exactly or nearly, are skipped. Good before a session ends or its context is compacted. Sending it again duplicates nothing.',
      idempotent: true,
      answer: same,
      logged: ({ added, diary }) => ({
        drawer_ids: added.map(({ drawer_id }) => drawer_id),
        ...(diary !== undefined && { entry_id: diary.entry_id }),
      }),
    },
  }),
};
