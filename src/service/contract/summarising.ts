import { z } from 'zod';
import { page } from './words.js';

const count = z.int().min(0);

/** Sessions that have no summary by a model, or have grown since it was made, newest first. */
export const unsummarised = {
  input: z.object({
    /** The id or the key of a session. */
    session: z.string().optional(),
    /** First day of their newest content, `YYYY-MM-DD`. */
    since: z.string().optional(),
    ...page,
  }),
  output: z.object({
    sessions: z.array(
      z.object({
        sourceKey: z.string(),
        title: z.string(),
        wing: z.string(),
        /** Of its newest content, `YYYY-MM-DD`. */
        day: z.string(),
        /** Length of its text, UTF-16 units. */
        chars: count,
        /** It has a summary of what it was before. */
        grown: z.boolean(),
      }),
    ),
    total: count,
    /** Tokens that models used today (UTC). */
    spent: count,
  }),
};

/** What a model is given of a session. */
export const sessionDigest = {
  input: z.object({ sourceKey: z.string(), tokens: z.int().min(1) }),
  output: z.object({
    digest: z.string(),
    /** Last change of the session, epoch milliseconds. */
    mtimeMs: z.number(),
  }),
};

/** Files what a model wrote about a session, in place of its last summary, and records the tokens. */
export const fileSummary = {
  input: z.object({
    sourceKey: z.string(),
    /** Of the digest that the model was given. */
    mtimeMs: z.number(),
    model: z.string().min(1),
    /** Absent if the model wrote nothing: then only the tokens are recorded. */
    content: z.string().min(1).optional(),
    tokens: count,
  }),
  output: z.object({
    /** `gone`: the session is not filed any more; `newer`: a summary of more of the session is filed. */
    outcome: z.enum(['filed', 'gone', 'forgotten', 'newer', 'none']),
    /** The key of its source. */
    summaryId: z.string(),
    /** Redactions by kind. */
    redacted: z.record(z.string(), count),
  }),
};
