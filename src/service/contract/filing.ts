import { z } from 'zod';
import { priority, within } from './words.js';

const filed = z.object({
  wing: z.string(),
  room: z.string(),
  sourceFile: z.string(),
  /** Its first drawers. */
  ids: z.array(z.string()),
  /** Number of its drawers. */
  drawers: z.int(),
});

/**
 * Files texts word for word, each as a source of its own. The same text in the same place is filed once. Invalid names are
 * refused before anything is filed.
 */
export const fileTexts = {
  input: z.object({
    texts: z.array(
      z.object({
        wing: z.string(),
        room: z.string(),
        content: z.string(),
        /** What it is about, or where it comes from. */
        sourceFile: z.string().optional(),
      }),
    ),
    /** Default: the agent of the call. */
    addedBy: z.string().optional(),
  }),
  output: z.object({
    texts: z.array(
      z.object({
        /** It was filed before: nothing was written now. */
        already: z.boolean(),
        /** Redactions by kind. */
        redacted: z.record(z.string(), z.int()),
        /** Absent for a text that the user had forgotten: it is not filed. */
        filed: filed.optional(),
      }),
    ),
  }),
};

/** Gives a text of `fileTexts` another content or place. */
export const updateText = {
  input: z.object({
    /** Of one of its drawers. */
    id: z.string(),
    content: z.string().optional(),
    wing: z.string().optional(),
    room: z.string().optional(),
    within,
  }),
  /** `changed`: false when it is so already. */
  output: z.object({ changed: z.boolean(), filed }),
};

/** Deletes a text of `fileTexts`. */
export const deleteText = {
  input: z.object({ id: z.string(), within }),
  output: z.object({ drawerId: z.string(), drawersRemoved: z.int() }),
};

/** Sets how important a drawer or a source is; runs do not change it. What is absent stays. */
export const mark = {
  input: z.object({
    /** Of a drawer or a source, as in `show`. */
    name: z.string(),
    paths: z.array(z.string()),
    within,
    /** Null: not set. */
    priority: priority.optional(),
    pinned: z.boolean().optional(),
  }),
  output: z.object({
    kind: z.enum(['drawer', 'source']),
    drawerId: z.string().nullable(),
    sourceKey: z.string(),
    sourceFile: z.string(),
    title: z.string().nullable(),
    /** As it applies: set, else found in the source; a drawer has that of its source, too. */
    priority,
    setPriority: priority,
    pinned: z.boolean(),
    setPinned: z.boolean(),
    /** What was set before. */
    formerPriority: priority,
    formerPinned: z.boolean(),
  }),
};
