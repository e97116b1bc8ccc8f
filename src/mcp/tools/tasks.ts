import { z } from 'zod';
import { NOTICE } from '../../core/outside.js';
import { Budget } from '../../operations/budget.js';
import { taskFor } from '../../presentation/tasks.js';
import { count, flag, maxTokens, redactions, text } from '../fields.js';
import { defineTool, type Tool } from '../tool.js';

const SET = 'tasks';
const shown = z.looseObject({ id: z.number(), state: z.string(), text: z.string() });
const agent = z.string().min(1).max(64).describe('your name, always the same');
const id = z.coerce.number().int().min(1).describe('of the task');

const add = defineTool({
  name: 'mempalace_task_add',
  title: 'Leave a task',
  description: 'Leaves work to another agent, or to a later session. Say all that is needed to do it.',
  input: z.object({
    text: z.string().min(1).max(10_000),
    for_agent: text('only this agent may take it'),
  }),
  output: z.looseObject({ success: z.boolean(), task: shown }),
  set: SET,
  writes: true,
  logged: (_, { task }) => ({ id: task.id }),
  async run({ text: words, for_agent: only }, call) {
    const { task, redacted } = await call.service.addTask({ text: words, agent: only }, call);
    return { success: true, task: taskFor(task), ...redactions(redacted) };
  },
});

const take = defineTool({
  name: 'mempalace_task_take',
  title: 'Take a task',
  description:
    'Takes the oldest open task, or the one with an id; nobody else gets it. task is null when nothing is open. Call mempalace_task_done when you are done.',
  input: z.object({ agent_name: agent, id: id.optional() }),
  output: z.looseObject({ task: shown.nullable() }),
  set: SET,
  writes: true,
  logged: ({ agent_name }, { task }) => ({ agent: agent_name, id: task?.id }),
  async run({ agent_name: taker, id: wanted }, call) {
    const { task } = await call.service.takeTask({ id: wanted, agent: taker }, call);
    return { notice: NOTICE, task: task === null ? null : taskFor(task) };
  },
});

const done = defineTool({
  name: 'mempalace_task_done',
  title: 'Finish a task',
  description: 'Records that a task is done, and what came of it.',
  input: z.object({ id, agent_name: agent, result: text('what came of it', 10_000) }),
  output: z.looseObject({ success: z.boolean(), task: shown }),
  set: SET,
  writes: true,
  logged: ({ id: of, agent_name }) => ({ agent: agent_name, id: of }),
  async run({ id: of, agent_name: by, result }, call) {
    const { task, redacted } = await call.service.finishTask({ id: of, agent: by, result }, call);
    return { success: true, task: taskFor(task), ...redactions(redacted) };
  },
});

const list = defineTool({
  name: 'mempalace_task_list',
  title: 'List tasks',
  description: 'Open and taken tasks, oldest first; with finished also those that are done.',
  input: z.object({
    agent_name: text('only those that it took or that are for it'),
    finished: flag('also those that are done'),
    limit: count(1, 500, 50),
    offset: count(0, 10_000_000, 0),
    max_tokens: maxTokens(4_000),
  }),
  output: z.looseObject({ tasks: z.array(shown), count: z.number(), total: z.number() }),
  set: SET,
  async run({ agent_name: of, finished, limit, offset, max_tokens: tokens }, call) {
    const states = finished ? undefined : (['open', 'taken'] as ('open' | 'taken')[]);
    const { tasks, total } = await call.service.tasks({ states, agent: of, limit, offset }, call);
    const kept = new Budget(tokens).take(tasks.map(taskFor));
    return { notice: NOTICE, tasks: kept, count: kept.length, total, offset };
  },
});

/** Work that agents leave to each other. */
export const TASK_TOOLS: readonly Tool[] = [add, take, done, list];
