import { snakeNamed } from '../core/case.js';
import { NOTICE } from '../core/outside.js';
import type { Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';
import { present } from './drawers.js';

export type Task = Output<'addTask'>['task'];

export const UNFINISHED: Task['state'][] = ['open', 'taken'];

/** A task for programs. */
function taskJson({ id, text, state, agent, ...rest }: Task) {
  return { id, text, state, agent, ...snakeNamed(rest) };
}

/** A page of tasks. */
export function tasksDocument({ tasks, total }: Output<'tasks'>, offset: number): Document<'taskList'> {
  return { notice: NOTICE, tasks: tasks.map(taskJson), offset, total };
}

/** A task for an agent, without empty fields. */
export function taskFor({ id, text, state, ...rest }: Task) {
  return { id, state, text, ...present(snakeNamed(rest)) };
}

/** What became of a task; null: there is none to take. */
export function taskDocument({
  task,
  redacted = {},
}: {
  task: Task | null;
  redacted?: Readonly<Record<string, number>>;
}): Document<'task'> {
  const command = 'mempalace task';
  return task === null
    ? { command, task: null }
    : { command, notice: NOTICE, task: taskJson(task), redacted: { ...redacted } };
}
