/** What the program that asks for a wake-up knows: folders, settings and a file of its machine. */
import * as z from 'zod/mini';
import { located } from '../fields.js';

export const start = () =>
  z.strictObject({
    /**
     * Where the user works, in place of a wing: the wing of the filed project there; else only what is of these folders, and what
     * the user pinned. Absent with the wing: the whole palace.
     */
    around: z.optional(
      z.strictObject({
        /** Folders whose sessions are told, and the linked worktrees of git that contain them. */
        ...located(),
        /** Checkouts of git around them: sessions anywhere in these are told, too. */
        checkouts: z.array(z.string()),
        /** Where neither a project nor a session of these is filed, the whole palace is told. */
        or_all: z.optional(z.boolean()),
      }),
    ),
    /** Cold places. */
    without: z.array(z.strictObject({ wing: z.string(), room: z.optional(z.string()) })),
    /** The file in which the user wrote about himself and his work; `trouble`: why it cannot be read. */
    identity: z.optional(
      z.strictObject({
        file: z.string(),
        text: z.optional(z.string()),
        trouble: z.optional(z.string()),
      }),
    ),
    /** Whether errors that recur in the folder are told. */
    patterns: z.boolean(),
    weights: z.strictObject({ recency: z.number(), importance: z.number() }),
    half_life_days: z.number().check(z.positive()),
    /** Where the user says nothing. */
    tokens: z.int(),
    /** Complete lines that precede the text, within its budget. */
    before: z.optional(z.readonly(z.array(z.string()))),
  });
export type Start = z.output<ReturnType<typeof start>>;
