import { z } from 'zod';
import { drawer, location, priority, source, turn, warning, weights, within, without } from './words.js';

/** A drawer with its neighbours. */
const place = z.object({
  drawer,
  /** Number of drawers in its source. */
  count: z.int(),
  /** The drawer and its neighbours, in the order of the source. */
  passage: z.array(drawer),
  /** Ids of the drawers before and after the passage; null at the source's ends. */
  previous: z.string().nullable(),
  next: z.string().nullable(),
});

export const show = {
  input: z.object({
    /** Of a drawer or a source: an id, a key, a session, a file or the end of its name. */
    name: z.string(),
    /** Further names for the same. */
    paths: z.array(z.string()),
    radius: z.int().min(0),
    within,
  }),
  output: z.discriminatedUnion('kind', [
    place.extend({ kind: z.literal('drawer') }),
    z.object({
      kind: z.literal('source'),
      source,
      /** The user's, else the one that is found in it. */
      priority,
      pinned: z.boolean(),
      /** Null for a document, and where unknown. */
      turns: z.array(turn).nullable(),
      /** Where its text is dated. */
      dates: z.array(z.object({ charStart: z.int(), contentDate: z.string() })),
    }),
  ]),
};

/** Where a part of a text begins: the number of a stored piece, and its offset in the text. */
const part = z.object({ piece: z.int().min(0), start: z.int().min(0) });

export const text = {
  input: z.object({
    sourceKey: z.string(),
    /** Of the text that is read: a changed one is refused. */
    hash: z.string(),
    /** UTF-16 units that are skipped. */
    offset: z.int().min(0),
    /** UTF-16 units that are wanted; the answer may be longer. */
    chars: z.int().min(1),
    /** The `next` of an answer at or before the offset, so that nothing is read twice. */
    from: part.optional(),
    within,
  }),
  /** `next`: what follows the part; absent after the last. */
  output: z.object({ text: z.string(), next: part.optional() }),
};

const memory = z.object({
  kind: z.enum(['drawer', 'document', 'session', 'diary']),
  drawerId: z.string(),
  sourceKey: z.string(),
  sessionId: z.string().nullable(),
  wing: z.string(),
  room: z.string(),
  title: z.string(),
  directory: z.string().nullable(),
  day: z.string(),
  priority,
  pinned: z.boolean(),
  score: z.number(),
  text: z.string(),
  cut: z.boolean(),
});

const recurringError = z.object({
  tool: z.string(),
  subject: z.string().nullable(),
  message: z.string(),
  sessions: z.int(),
  fix: z.object({ edits: z.array(z.string()) }).nullable(),
  drawerId: z.string(),
});

export const wakeUp = {
  input: z.object({
    wing: z.string().optional(),
    /**
     * Where the client works, in place of a wing: the wing of the filed project there; else only what is of these folders, and
     * what the user pinned. Absent with the wing: the whole palace.
     */
    around: z
      .object({
        /** Folders whose sessions are told. */
        folders: z.array(z.string()),
        locations: z.array(location),
        /** Checkouts of git around them: sessions anywhere in these are told, too. */
        checkouts: z.array(z.string()),
      })
      .optional(),
    /** In place of both: not even sessions in a folder of its projects, or errors of those, if they are filed elsewhere. */
    within,
    without,
    /** As in the keys of its diary; absent: all diaries. */
    agent: z.string().optional(),
    /** What the user wrote about himself and his work. */
    identity: z.string().optional(),
    /** Whether errors that recur in the folder are told; default: true. */
    patterns: z.boolean().optional(),
    tokens: z.int(),
    weights: weights.omit({ relevance: true }),
    halfLifeDays: z.number().positive(),
    /** Complete lines that precede the text, within its budget. */
    before: z.array(z.string()).optional(),
  }),
  output: z.object({
    /** The wing it is from; absent: the whole palace, or no project (`elsewhere`). */
    wing: z.string().optional(),
    text: z.string(),
    tokens: z.int(),
    identity: z.string(),
    important: z.array(memory),
    errors: z.array(recurringError),
    diary: z.array(memory),
    sessions: z.array(memory),
    holdings: z.array(z.object({ name: z.string(), sources: z.int(), drawers: z.int() })),
    /** What the palace contains, where nothing more of it is told: the client works in no filed project. */
    elsewhere: z.object({ projects: z.int(), sources: z.int(), drawers: z.int() }).optional(),
  }),
};

/** A quick check; takes a millisecond. */
export const drift = {
  input: z.object({}),
  output: z.object({ warnings: z.array(warning) }),
};
