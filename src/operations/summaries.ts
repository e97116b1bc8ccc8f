/** What programs ask that have a model summarise sessions. */
import * as z from 'zod/mini';
import { write, writerOf } from '../service/palace/writer.js';
import { count, text } from './fields.js';
import { procedure } from './operation.js';

const knowledge = () => import('../knowledge/summaries/index.js');
const WHOLE = 'only the user has sessions summarised';

export const summaries = {
  /** Sessions that have no summary by a model, or have grown since it was made, newest first. */
  unsummarised: procedure({
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
    async run(place, { handle, now }) {
      const { spentTokens, unsummarised } = await knowledge();
      const palace = handle.get();
      return palace.snapshot(() => ({ ...unsummarised(palace, place), spent: spentTokens(palace, now) }));
    },
  }),
  /** What a model is given of a session. */
  sessionDigest: procedure({
    name: 'summarise digest',
    reads: true,
    inWing: WHOLE,
    input: () => z.strictObject({ source_key: z.string(), tokens: z.int().check(z.minimum(1)) }),
    /** `mtime_ms`: last change of the session, epoch milliseconds. */
    async run({ source_key, tokens }, { handle }) {
      const { digestOfSession } = await knowledge();
      const palace = handle.get();
      return palace.snapshot(() => digestOfSession(palace, source_key, tokens));
    },
  }),
  /** Files what a model wrote about a session, in place of its last summary, and records the tokens. */
  fileSummary: procedure({
    name: 'summarise file',
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
