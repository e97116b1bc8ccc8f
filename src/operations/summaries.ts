/** What programs ask that have a model summarise sessions. */
import * as z from 'zod/mini';
import { write, writerOf } from '../service/palace/writer.js';
import { count, redacted, text } from './fields.js';
import { operation } from './operation.js';

const knowledge = () => import('../knowledge/summaries/index.js');
const WHOLE = 'only the user has sessions summarised';

export const summaries = {
  /** Sessions that have no summary by a model, or have grown since it was made, newest first. */
  unsummarised: operation({
    name: 'summarise due',
    reads: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        /** The id or the key of a session. */
        session: z.optional(z.string()),
        /** First day of their newest content, `YYYY-MM-DD`. */
        since: z.optional(z.string()),
        limit: z.int().check(z.minimum(1)),
      }),
    output: () =>
      z.strictObject({
        sessions: z.array(
          z.strictObject({
            source_key: z.string(),
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
    async run(place, { handle, now }) {
      const { spentTokens, unsummarised } = await knowledge();
      const palace = handle.get();
      return palace.snapshot(() => ({ ...unsummarised(palace, place), spent: spentTokens(palace, now) }));
    },
  }),
  /** What a model is given of a session. */
  sessionDigest: operation({
    name: 'summarise digest',
    reads: true,
    inWing: WHOLE,
    input: () => z.strictObject({ source_key: z.string(), tokens: z.int().check(z.minimum(1)) }),
    /** `mtime_ms`: last change of the session, epoch milliseconds. */
    output: () => z.strictObject({ digest: z.string(), mtime_ms: z.number() }),
    async run({ source_key, tokens }, { handle }) {
      const { digestOfSession } = await knowledge();
      const palace = handle.get();
      return palace.snapshot(() => digestOfSession(palace, source_key, tokens));
    },
  }),
  /** Files what a model wrote about a session, in place of its last summary, and records the tokens. */
  fileSummary: operation({
    name: 'summarise file',
    unsigned: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        /** The key of the session. */
        session: z.string(),
        /** Of the digest that the model was given. */
        mtime_ms: z.number(),
        model: text(),
        /** Absent if the model wrote nothing: then only the tokens are recorded. */
        content: z.optional(text()),
        tokens: count,
      }),
    output: () =>
      z.strictObject({
        /** `gone`: the session is not filed any more; `newer`: a summary of more of the session is filed. */
        outcome: z.enum(['filed', 'gone', 'forgotten', 'newer', 'none']),
        /** The key of its source. */
        summary_id: z.string(),
        redacted,
      }),
    async run(note, context) {
      const { call, models } = context;
      const { agent: addedBy, signal } = call;
      const { writeSummary } = await knowledge();
      const sanitiser = await writerOf(context).sanitiser();
      const { drawersRemoved, ...done } = await write(context, call, (palace, run) => {
        const embedder = () => models.wait(palace.model, signal);
        return writeSummary(palace, note, { sanitiser, embedder, addedBy, run, signal });
      });
      if (drawersRemoved > 0) await writerOf(context).clearTraces(signal);
      return done;
    },
  }),
};
