/** Work that agents leave to each other, or to a later session. */
import * as z from 'zod/mini';
import { BAR, line } from '../core/outside.js';
import { recording, write, writerOf } from '../service/palace/writer.js';
import { minuteOf } from '../terminal/durations.js';
import { warnRedacted } from '../terminal/redactions.js';
import type { Column } from '../terminal/table.js';
import type { Terminal } from '../terminal/terminal.js';
import { actor, agentHere, count, field, limit, name, offset, redacted, text } from './fields.js';
import { printList } from './listing/list.js';
import { operation } from './operation.js';
import { fitting, redactions, told } from './told.js';

const knowledge = () => import('../knowledge/tasks/tasks.js');
const WHOLE = 'tasks belong to the whole palace';

const moment = z.iso.datetime();
const task = z.strictObject({
  id: count,
  text: z.string(),
  /** `taken`: an agent works on it. */
  state: z.enum(['open', 'taken', 'done']),
  agent: name,
  added_by: z.string(),
  added_at: moment,
  taken_by: name,
  taken_at: z.nullable(moment),
  done_by: name,
  done_at: z.nullable(moment),
  result: name,
});
type Task = z.output<typeof task>;

const id = () => z.int().check(z.minimum(1));
const numbered = (cli = '<id>') => ({ cli, agents: 'of the task' });
/** Null: there is none to take. */
const changed = () => z.strictObject({ task: z.nullable(task), redacted });
type Changed = z.output<ReturnType<typeof changed>>;

const say =
  (verb: string) =>
  ({ task, redacted }: Changed, terminal: Terminal): void => {
    if (task !== null) terminal.say(`${verb}: ${task.id}  ${BAR}${line(task.text)}`);
    warnRedacted(redacted, terminal);
  };

const taskFor = ({ id, state, text, ...rest }: Task) => ({ id, state, text, ...told(rest) });
const changedFor = ({ task, redacted }: Changed) => ({
  success: true,
  task: task && taskFor(task),
  ...redactions(redacted),
});

const COLUMNS: Column[] = [{ align: 'right' }, {}, { style: 'dim' }, {}];

export const tasks = {
  taskAdd: operation({
    name: 'task add',
    document: 'task',
    summary: 'Add a task',
    quotes: true,
    makes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        text: field(z.string(), 'what is to be done', { cli: '<text...>', agents: '' }),
        for: field(z.optional(text()), 'only this agent may take it', {
          cli: '--for <agent>',
          tool: 'for_agent',
        }),
        by: field(z.optional(text()), 'who adds it', { terminalOnly: true, hidden: true, usual: agentHere }),
      }),
    output: changed,
    async run({ text, for: agent, by }, context) {
      const { call, now } = context;
      const [sanitiser, { addTask }] = await Promise.all([writerOf(context).sanitiser(), knowledge()]);
      const added = { text, agent, added_by: by ?? call.agent };
      return write(context, call, (palace, run) =>
        addTask(palace, added, { sanitiser, now, record: recording(palace, run) }),
      );
    },
    text: say('added'),
    address: 'Adds a task for agents',
    tool: {
      name: 'mempalace_task_add',
      title: 'Leave a task',
      description: 'Leaves work to another agent, or to a later session. Say all that is needed to do it.',
      set: 'tasks',
      answer: changedFor,
      logged: ({ task }) => ({ id: Object(task).id }),
    },
  }),
  taskTake: operation({
    name: 'task take',
    document: 'task',
    summary: 'Take a task: nobody else gets it',
    quotes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        by: actor('the taker', 'taker', { address: 'agent' }),
        id: field(z.optional(id()), 'the number of the task', numbered('[id]')),
      }),
    output: changed,
    async run({ id, by: agent }, context) {
      const { takeTask } = await knowledge();
      return write(context, context.call, async (palace, run) => {
        const writing = { now: context.now, record: recording(palace, run) };
        return { task: takeTask(palace, { id, agent }, writing) ?? null, redacted: {} };
      });
    },
    text(document, terminal, { by }) {
      if (document.task !== null) return say('taken')(document, terminal);
      terminal.note(`no open task for ${line(by)}`);
      return 'nothing found';
    },
    address:
      'Takes a task for an agent, by default the oldest that it may take; `task` is null if there is none',
    logged: ['id', 'by'],
    tool: {
      name: 'mempalace_task_take',
      title: 'Take a task',
      description:
        'Takes the oldest open task, or the one with an id; nobody else gets it. task is null when nothing is open. Call mempalace_task_done when you are done.',
      set: 'tasks',
      answer: ({ task }) => ({ task: task && taskFor(task) }),
      logged: ({ task }, { agent_name: agent }) => ({ agent, id: Object(task).id }),
    },
  }),
  taskDone: operation({
    name: 'task done',
    document: 'task',
    summary: 'Record that a task is done',
    quotes: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        id: field(id(), 'the number of the task', numbered()),
        by: field(
          z.optional(text()),
          'who has done it; it must be the taker (default: you, who may finish any)',
          {
            cli: '--agent <name>',
            address: 'agent',
            tool: 'agent_name',
            agents: 'your name, always the same',
            ofAgents: text,
          },
        ),
        result: field(z.optional(text()), 'what came of it', { cli: '--result <text>' }),
      }),
    output: changed,
    async run({ id, by: agent, result }, context) {
      const [sanitiser, { finishTask }] = await Promise.all([writerOf(context).sanitiser(), knowledge()]);
      return write(context, context.call, (palace, run) => {
        const writing = { sanitiser, now: context.now, record: recording(palace, run) };
        return finishTask(palace, { id, agent, result }, writing);
      });
    },
    text: say('done'),
    address: 'Finishes a task',
    logged: ['id', 'by'],
    tool: {
      name: 'mempalace_task_done',
      title: 'Finish a task',
      description: 'Records that a task is done, and what came of it.',
      set: 'tasks',
      answer: changedFor,
      logged: (_, { id, agent_name: agent }) => ({ agent, id }),
    },
  }),
  taskList: operation({
    name: 'task list',
    summary: 'List open and taken tasks, oldest first',
    quotes: true,
    reads: true,
    inWing: WHOLE,
    input: () =>
      z.strictObject({
        agent: field(z.optional(text()), 'only those that it took or that are for it', {
          tool: 'agent_name',
        }),
        all: field(z._default(z.boolean(), false), 'also those that are done', { tool: 'finished' }),
        limit: limit(50, 'tasks to show', '', [50, 500]),
        offset: offset('tasks to skip', ''),
      }),
    output: () => z.strictObject({ tasks: z.array(task), offset: count, total: count }),
    async run({ agent, all, ...page }, { handle }) {
      const { agentOf } = await import('../knowledge/diary/agent.js');
      const palace = handle.get();
      const asked = {
        agent: agent === undefined ? undefined : agentOf(agent),
        states: all ? undefined : (['open', 'taken'] as const),
      };
      const { rows, total } = palace.snapshot(() => palace.tasks.list(asked, page));
      return { tasks: rows, offset: page.offset, total };
    },
    text(document, terminal) {
      const rows = document.tasks.map((task) => [
        String(task.id),
        stateOf(task),
        minuteOf(task.done_at ?? task.taken_at ?? task.added_at),
        BAR + line(task.result === null ? task.text : `${task.text} → ${task.result}`),
      ]);
      printList({ list: 'tasks', ...document }, { columns: COLUMNS, rows }, terminal);
    },
    address: 'Tasks that agents leave to each other, oldest first',
    tool: {
      name: 'mempalace_task_list',
      title: 'List tasks',
      description: 'Open and taken tasks, oldest first; with finished also those that are done.',
      set: 'tasks',
      tokens: 4_000,
      answer({ tasks, offset, total }, tokens) {
        const kept = fitting(tasks.map(taskFor), tokens, 'first');
        return { tasks: kept, count: kept.length, total, offset };
      },
    },
  }),
  taskDrop: operation({
    name: 'task drop',
    document: 'task',
    summary: 'Delete a task',
    quotes: true,
    inWing: WHOLE,
    input: () => z.strictObject({ id: field(id(), 'the number of the task', numbered()) }),
    output: changed,
    async run({ id }, context) {
      const { dropTask } = await knowledge();
      return write(context, context.call, async (palace, run) => ({
        task: dropTask(palace, id, recording(palace, run)),
        redacted: {},
      }));
    },
    text: say('deleted'),
    address: 'Deletes a task',
    logged: ['id'],
  }),
};

function stateOf({ state, agent, taken_by, done_by }: Task): string {
  if (state === 'open') return agent === null ? state : `open for ${agent}`;
  const by = state === 'taken' ? taken_by : done_by;
  return by === null ? state : `${state} by ${by}`;
}
