import { UserError } from '../../core/errors.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Palace, TaskRow } from '../../store/index.js';
import { agentOf } from '../diary/agent.js';

/** Characters of a text or a result. */
export const LONGEST = 10_000;

interface TaskWriting {
  now: Date;
  /** Called in the transaction, to record the change. */
  record: () => void;
}

type Sanitising = Pick<Sanitiser, 'clean'>;

/**
 * Adds an open task.
 *
 * @param task.agent the only agent that may take it
 * @throws UserError `usage` for an empty or too long text, or an invalid name of an agent
 */
export async function addTask(
  palace: Palace,
  task: { text: string; agent?: string | undefined; added_by: string },
  { sanitiser, now, record }: TaskWriting & { sanitiser: Sanitising },
): Promise<{ task: TaskRow; redacted: Record<string, number> }> {
  const agent = task.agent === undefined ? null : agentOf(task.agent);
  if (task.text.trim() === '') throw new UserError('usage', 'the task is empty');
  const { text, redacted } = await sanitiser.clean(shortEnough(task.text.trim()));
  return palace.transaction(() => {
    const id = palace.tasks.add({ text, agent, added_by: task.added_by, added_at: now.toISOString() });
    record();
    return { task: taskOf(palace, id), redacted };
  });
}

/**
 * Takes a task for an agent, in one transaction: a task has one taker. An agent that takes its own task again gets it.
 *
 * @param id undefined: the oldest open task that it may take
 * @returns undefined if there is none
 * @throws UserError `not-found` for an unknown task, `failed` for one that another agent has, that is for another or done
 */
export function takeTask(
  palace: Palace,
  { id, ...taker }: { id?: number | undefined; agent: string },
  { now, record }: TaskWriting,
): TaskRow | undefined {
  const agent = agentOf(taker.agent);
  return palace.transaction(() => {
    const task = id === undefined ? palace.tasks.nextFor(agent) : taskOf(palace, id);
    if (task === undefined) return undefined;
    if (task.state === 'done') throw refused(task, `is done since ${task.done_at}`);
    if (task.state === 'taken' && task.taken_by === agent) return task;
    if (task.state === 'taken') throw refused(task, `is taken by ${task.taken_by} since ${task.taken_at}`);
    if (task.agent !== null && task.agent !== agent) throw refused(task, `is for ${task.agent}`);
    palace.tasks.take(task.id, agent, now.toISOString());
    record();
    return taskOf(palace, task.id);
  });
}

/**
 * Records that a task is done.
 *
 * @param done.agent undefined: the user, who may finish every task
 * @throws UserError `not-found` for an unknown task, `failed` for one that is done, that another agent has, or that is for
 *   another
 */
export async function finishTask(
  palace: Palace,
  { id, result, ...done }: { id: number; agent?: string | undefined; result?: string | undefined },
  { sanitiser, now, record }: TaskWriting & { sanitiser: Sanitising },
): Promise<{ task: TaskRow; redacted: Record<string, number> }> {
  const agent = done.agent === undefined ? null : agentOf(done.agent);
  const { text, redacted } = await sanitiser.clean(shortEnough((result ?? '').trim()));
  return palace.transaction(() => {
    const task = taskOf(palace, id);
    if (task.state === 'done') throw refused(task, `is done since ${task.done_at}`);
    if (agent !== null && task.taken_by !== null && task.taken_by !== agent)
      throw refused(task, `is taken by ${task.taken_by} since ${task.taken_at}`);
    if (agent !== null && task.agent !== null && task.agent !== agent)
      throw refused(task, `is for ${task.agent}`);
    const done_by = agent ?? task.taken_by;
    palace.tasks.finish({ id, done_by, done_at: now.toISOString(), result: text === '' ? null : text });
    record();
    return { task: taskOf(palace, id), redacted };
  });
}

/** Deletes a task in any state, also from the write-ahead log. @returns the deleted one. @throws UserError `not-found` */
export function dropTask(palace: Palace, id: number, record: () => void): TaskRow {
  const dropped = palace.transaction(() => {
    const task = taskOf(palace, id);
    palace.tasks.remove(id);
    record();
    return task;
  });
  palace.emptyLog();
  return dropped;
}

/** @throws UserError `not-found` */
function taskOf(palace: Palace, id: number): TaskRow {
  const task = palace.tasks.byId(id);
  if (task !== undefined) return task;
  throw new UserError('not-found', `there is no task ${id}`, {
    hint: 'mempalace task list --all shows the tasks with their numbers',
  });
}

function refused({ id }: TaskRow, why: string): UserError {
  return new UserError('failed', `task ${id} ${why}`, { hint: 'mempalace task list shows what is open' });
}

/** @throws UserError `usage` */
function shortEnough(text: string): string {
  if (text.length <= LONGEST) return text;
  throw new UserError('usage', `a task has at most ${LONGEST} characters, not ${text.length}`, {
    hint: 'file the text as a drawer or a diary entry, and name it in the task',
  });
}
