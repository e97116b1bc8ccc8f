/** Sources are erased for good: a preview shows what would go, then exactly that goes. */
import * as z from 'zod/mini';
import { UserError } from '../core/errors.js';
import type { Forgettable } from '../core/forgotten.js';
import { writerOf } from '../service/palace/writer.js';
import { count, field, name, text } from './fields.js';
import { operation } from './operation.js';

const WHOLE = 'forgetting reaches facts, collections and backups of the whole palace';
export const COMMAND = 'mempalace forget' as const;

/** One of the first four. */
const what = () => ({
  source: field(z.optional(text()), 'a source key, a source_file, or the end of one'),
  session: field(z.optional(text()), 'this session'),
  wing: field(z.optional(text()), 'everything in this wing'),
  run: field(z.optional(z.int().check(z.minimum(1))), 'everything that this run filed last'),
  backups: field(
    z._default(z.boolean(), false),
    'remove kept backups that contain it, and damaged palaces, instead of rewriting them',
  ),
  paths: field(z._default(z.array(z.string()), []), 'further names for the source', { hidden: true }),
});

/** @throws UserError `usage` */
function requireOne({ source, session, wing, run }: Forgettable): void {
  if ([source, session, wing, run].filter((each) => each !== undefined).length === 1) return;
  throw new UserError('usage', 'give one of source, session, wing and run');
}

const place = { source_key: z.string(), source_file: z.string(), title: name };
const erased = {
  command: z.literal(COMMAND),
  sources: z.array(
    z.strictObject({ ...place, origin: z.string(), wing: z.string(), room: z.string(), drawers: count }),
  ),
  /** Number of matching sources that were forgotten before: what remains of them is erased. */
  already_forgotten: count,
  drawers_removed: count,
  /** Taken from these sources. */
  facts_removed: count,
  /** Files in the cache of this machine. */
  staged_removed: count,
};
const forgotten = () =>
  z.strictObject({
    ...erased,
    backups: z.array(z.strictObject({ file: z.string(), outcome: z.enum(['erased', 'removed']) })),
    /** Damaged palaces that may contain it. */
    unknown: z.array(z.string()),
    /** False when a reader kept the WAL: old pages stay in it until a later run. */
    log_emptied: z.boolean(),
  });
export type Forgotten = z.output<ReturnType<typeof forgotten>>;
export type ForgetPreview = z.output<ReturnType<typeof forgetting.forgetDryRun.output>>;

export const forgetting = {
  forgetDryRun: operation({
    name: 'forget --dry-run',
    path: '/forget/preview',
    reads: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        ...what(),
        cache: field(z.optional(z.string()), 'the folder of staged files', {
          hidden: true,
          usual: ({ cache }) => cache,
        }),
      }),
    output: () =>
      z.strictObject({
        dry_run: z.literal(true),
        ...erased,
        /** Stands for exactly this; `forget` takes it. */
        preview: z.string(),
        facts: z.array(z.strictObject({ subject: z.string(), predicate: z.string(), object: z.string() })),
        /** Sources that stay, with the number of drawers that have a text of these. */
        copies: z.array(z.strictObject({ ...place, drawers: count })),
        /** Names of collections to which the user added drawers of these sources. */
        collections: z.array(z.string()),
        backups: z.array(z.string()),
        backups_removed: z.array(z.string()),
      }),
    check: requireOne,
    isEmpty: ({ sources, already_forgotten }) => sources.length + already_forgotten === 0,
    async run({ cache, backups, ...what }, { handle }) {
      const { namesOf, previewForgetting } = await import('../maintenance/forgettable.js');
      const { countStaged } = await import('../feeders/staging/erase-staged.js');
      const found = previewForgetting(handle.get(), what, backups);
      const { id, sources, tombstones, facts, copies, collections } = found;
      return {
        command: COMMAND,
        dry_run: true as const,
        preview: id,
        sources: namesOf(sources),
        already_forgotten: tombstones.length,
        drawers_removed: sources.reduce((sum, { drawers }) => sum + drawers, 0),
        facts,
        facts_removed: facts.length,
        staged_removed: cache === undefined ? 0 : countStaged(cache, [...sources, ...tombstones]),
        copies,
        collections,
        backups: found.backups.map(({ file }) => file),
        backups_removed: found.backups.flatMap(({ file, outcome }) => (outcome === 'removed' ? [file] : [])),
      };
    },
    address: 'What would be erased for good; only the page of this machine may ask',
    posts: true,
    ofMachine: true,
  }),
  /** Under the run lock; may take minutes. */
  forget: operation({
    name: 'forget',
    unsigned: true,
    inWing: WHOLE,
    input: () => z.strictObject({ ...what(), preview: field(text(), '`preview` of the preview') }),
    output: forgotten,
    check: requireOne,
    run: async (asked, context) => (await writerOf(context).forget(asked, context.call)) as Forgotten,
    address: 'Erases exactly what a preview showed, for good; only the page of this machine may ask',
    slow: true,
    ofMachine: true,
    // Neither names nor keys: the log is not erased.
    logged: ['preview', 'backups'],
  }),
};
