import { z } from 'zod';

const count = z.int().min(0);

/** A run of a program: times are epoch milliseconds. */
const run = z.object({
  id: z.int(),
  command: z.string(),
  startedMs: z.number(),
  endedMs: z.number().nullable(),
  /** Null when it did not end: killed, or still running. */
  exitCode: z.int().nullable(),
  running: z.boolean(),
  /** As its program recorded them. */
  counts: z.record(z.string(), z.unknown()),
});

/** Whether questions are compared by meaning now, and why not, if searches use the model. */
export const readiness = {
  input: z.object({}),
  output: z.object({ loaded: z.boolean(), reason: z.string().optional() }),
};

/** What changes when something is written, with the last runs, short writes too. Takes milliseconds. */
export const pulse = {
  input: z.object({}),
  output: z.object({
    sources: count,
    drawers: count,
    facts: count,
    currentFacts: count,
    runs: z.array(run),
  }),
};

/** Opens the palace again, which may have been replaced. */
export const reopen = {
  input: z.object({}),
  output: z.object({ drawers: count }),
};
