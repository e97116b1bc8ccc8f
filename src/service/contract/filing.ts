import { z } from 'zod';
import { within } from './words.js';

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
