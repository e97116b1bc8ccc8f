import { z } from 'zod';
import { source } from './words.js';

const count = z.int().min(0);

const what = z.union([
  z.object({
    by: z.literal('source'),
    /** A key, a `source_file` or the end of one, an origin, or a session. */
    name: z.string(),
    /** Further names for the same. */
    paths: z.array(z.string()),
  }),
  z.object({ by: z.enum(['session', 'wing']), value: z.string() }),
  /** Everything that this run filed last. */
  z.object({ by: z.literal('run'), value: z.int() }),
]);

/** `removeBackups`: kept backups that contain it, and damaged palaces, are removed, not rewritten. */
const asked = { what, removeBackups: z.boolean() };

const sources = z.array(
  source.pick({
    sourceKey: true,
    sourceFile: true,
    origin: true,
    wing: true,
    room: true,
    title: true,
    drawers: true,
  }),
);
const backups = z.array(z.object({ file: z.string(), outcome: z.enum(['erased', 'removed']) }));

/** What `forget` would erase from the palace now. Staged files are not part of a palace. */
export const forgetPreview = {
  input: z.object(asked),
  output: z.object({
    /** Stands for exactly this; `forget` takes it. */
    id: z.string(),
    sources,
    /** Forgotten before: what remains of them is erased. */
    forgotten: z.array(z.object({ sourceKey: z.string(), origin: z.string() })),
    drawers: count,
    /** Taken from these sources. */
    facts: z.array(z.object({ subject: z.string(), predicate: z.string(), object: z.string() })),
    /** Sources that stay, with the number of drawers that have a text of these. */
    copies: z.array(source.pick({ sourceKey: true, sourceFile: true, title: true, drawers: true })),
    /** Names of collections to which the user added drawers of these sources. */
    collections: z.array(z.string()),
    backups,
    /** Damaged palaces that may contain it. */
    unknown: z.array(z.string()),
  }),
};

/** Erases sources for good, under the run lock: after its preview, and only what that showed. May take minutes. */
export const forget = {
  input: z.object({ ...asked, preview: z.string() }),
  output: z.object({
    sources,
    /** Number of matching sources that were forgotten before. */
    alreadyForgotten: count,
    drawers: count,
    facts: count,
    /** Files in the cache. */
    staged: count,
    backups,
    unknown: z.array(z.string()),
    /** False when a reader kept the WAL: old pages stay in it until a later run. */
    logEmptied: z.boolean(),
  }),
};
