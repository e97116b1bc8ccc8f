import * as z from 'zod/mini';
import { manifestSchema } from '../../core/contract.js';

export const upload = z.string().check(z.regex(/^[0-9a-f-]{36}$/));
const skipped = manifestSchema.shape.skipped;

const checkpoint = z.union([
  z.object({ kind: z.literal('end') }),
  z.object({ kind: z.literal('manual'), name: z.string(), note: z.optional(z.string()) }),
]);

/** How what another machine has sent is filed. */
export const filing = z.strictObject({
  upload,
  mark: z.string(),
  run: z.object({ command: z.string(), scope: z.string(), narrowed: z.boolean() }),
  /** Stored with each drawer. */
  addedBy: z.string(),
  force: z.boolean(),
  allowRemovals: z.boolean(),
  limit: z.optional(z.int()),
  /** Time for filing, milliseconds. */
  maxMs: z.optional(z.number()),
  checkpoints: z.array(z.tuple([z.string(), checkpoint])),
  /** Keys of sources whose text is wanted and was not sent in time. */
  unsent: z.array(z.string()),
  /** Problems of the feeder: they are recorded with the run. */
  problems: skipped,
});
export type Filing = z.input<typeof filing>;

/** As the miner reports it. */
export const filed = z.object({
  new: z.int(),
  changed: z.int(),
  unchanged: z.int(),
  moved: z.int(),
  removed: z.int(),
  removals: z.array(z.string()),
  lost: z.array(z.object({ origin: z.string(), messages: z.int() })),
  drawersAdded: z.int(),
  drawersRemoved: z.int(),
  drawersTotal: z.int(),
  embedded: z.int(),
  pending: z.int(),
  redacted: z.record(z.string(), z.int()),
  problems: skipped,
  left: z.int(),
});
export type Filed = z.output<typeof filed>;
