import { z } from 'zod';

const count = z.int().min(0);
const name = z.string().nullable();
const STATES = ['open', 'taken', 'done'] as const;

/** Times are ISO 8601, UTC. */
const task = z.object({
  id: count,
  text: z.string(),
  /** `taken`: an agent works on it. */
  state: z.enum(STATES),
  /** The only agent that may take it. */
  agent: name,
  addedBy: z.string(),
  addedAt: z.string(),
  takenBy: name,
  takenAt: name,
  doneBy: name,
  doneAt: name,
  /** What came of it. */
  result: name,
});

/** Unfinished ones first, oldest first; then done ones, last done first. */
export const tasks = {
  input: z.object({
    /** Absent: all. */
    states: z.array(z.enum(STATES)).optional(),
    /** Those that it took or that are for it. */
    agent: z.string().optional(),
    limit: z.int().min(1),
    offset: count,
  }),
  output: z.object({ tasks: z.array(task), total: count }),
};

/** Redactions by kind. */
const redacted = z.record(z.string(), count);

/** Adds an open task. @throws UserError `usage` */
export const addTask = {
  input: z.object({
    text: z.string(),
    /** The only agent that may take it. */
    agent: z.string().optional(),
  }),
  output: z.object({ task, redacted }),
};

/** Takes a task: it has one taker. @throws UserError `not-found`, and `failed` if it is taken, done, or for another agent */
export const takeTask = {
  input: z.object({
    /** Absent: the oldest open task that the agent may take. */
    id: count.optional(),
    agent: z.string(),
  }),
  /** Null: there is none. */
  output: z.object({ task: task.nullable() }),
};

/** Records that a task is done. @throws UserError `not-found`, and `failed` if another agent has it or it is done */
export const finishTask = {
  input: z.object({
    id: count,
    /** Absent: the user, who may finish every task. */
    agent: z.string().optional(),
    result: z.string().optional(),
  }),
  output: z.object({ task, redacted }),
};

/** Deletes a task in any state. @throws UserError `not-found` */
export const dropTask = {
  input: z.object({ id: count }),
  output: z.object({ task }),
};
