import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import type { Palace } from '../../store/index.js';
import { agentOf } from '../diary/agent.js';
import { LONGEST } from './tasks.js';

const agent = z.string().refine(isAgent, 'not the name of an agent').nullable();
const text = z.string().max(LONGEST);
const moment = z.iso.datetime();

export const taskRow = z.object({
  text: text.min(1),
  agent,
  added_by: z.string(),
  added_at: moment,
  taken_by: agent,
  taken_at: moment.nullable(),
  done_by: agent,
  done_at: moment.nullable(),
  result: text.nullable(),
});
export type TaskRow = z.infer<typeof taskRow>;

/** All tasks, in the order in which they were added. */
export function taskRows({ tasks }: Palace): TaskRow[] {
  return tasks.all().map(({ id: _, state: _state, ...row }) => row);
}

/**
 * Adds a task of an export; in a transaction. One that is here already stays as it is: the same text, by the same author, at
 * the same time.
 */
export function takeInTask({ tasks }: Palace, row: TaskRow): 'new' | 'unchanged' {
  if (tasks.has(row)) return 'unchanged';
  tasks.add(row);
  return 'new';
}

function isAgent(name: string): boolean {
  try {
    return agentOf(name) === name;
  } catch (error) {
    if (error instanceof UserError) return false;
    throw error;
  }
}
