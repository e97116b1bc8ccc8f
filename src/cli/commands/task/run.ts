import { UserError } from '../../../core/errors.js';
import { BAR, NOTICE } from '../../../core/outside.js';
import { type Task, taskDocument, tasksDocument, UNFINISHED } from '../../../presentation/tasks.js';
import { minuteOf } from '../../../terminal/durations.js';
import { warnRedacted } from '../../../terminal/redactions.js';
import { type Column, renderTable } from '../../../terminal/table.js';
import { line, type Terminal } from '../../../terminal/terminal.js';
import { agentNameOf } from '../../app/agent-name.js';
import { EXIT } from '../../app/exit.js';
import { withService, withWriter } from '../../app/open-service.js';
import type { CommonFlags } from '../../app/options.js';
import type { CommandContext } from '../../app/runner.js';

const COMMAND = 'mempalace task';

interface AgentFlags extends CommonFlags {
  agent?: string;
}

/** `mempalace task add`. */
export function add(
  context: CommandContext,
  flags: CommonFlags & { for?: string },
  words: readonly string[],
): Promise<void> {
  const { terminal, env } = context;
  return withWriter(context, { command: COMMAND, make: true }, async (service, call) => {
    const agent = agentNameOf(undefined, env) ?? call.agent;
    const added = await service.addTask({ text: words.join(' '), agent: flags.for }, { ...call, agent });
    report('added', added.task, terminal, added.redacted);
  });
}

/** `mempalace task take`. */
export function take(context: CommandContext, flags: AgentFlags, id: number | undefined): Promise<number> {
  const { terminal, env } = context;
  const agent = agentNameOf(flags.agent, env);
  if (agent === undefined)
    throw new UserError('usage', "required option '--agent <name>' not specified", {
      hint: '--agent <name>, or MEMPALACE_AGENT_NAME, names the taker',
    });
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const { task } = await service.takeTask({ id, agent }, call);
    if (task === null) {
      terminal.json(taskDocument({ task }));
      terminal.note(`no open task for ${line(agent)}`);
      return EXIT.nothingFound;
    }
    report('taken', task, terminal);
    return EXIT.done;
  });
}

/** `mempalace task done`. */
export function done(
  context: CommandContext,
  { agent, result }: AgentFlags & { result?: string },
  id: number,
): Promise<void> {
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const { task, redacted } = await service.finishTask({ id, agent, result }, call);
    report('done', task, context.terminal, redacted);
  });
}

/** `mempalace task drop`. */
export function drop(context: CommandContext, _: CommonFlags, id: number): Promise<void> {
  return withWriter(context, { command: COMMAND, make: false }, async (service, call) => {
    const { task } = await service.dropTask({ id }, call);
    report('deleted', task, context.terminal);
  });
}

function report(
  verb: string,
  task: Task,
  terminal: Terminal,
  redacted: Readonly<Record<string, number>> = {},
): void {
  terminal.json(taskDocument({ task, redacted }));
  terminal.say(`${verb}: ${task.id}  ${BAR}${line(task.text)}`);
  warnRedacted(redacted, terminal);
}

interface ListFlags extends AgentFlags {
  all?: boolean;
  limit: number;
  offset: number;
}

const COLUMNS: Column[] = [{ align: 'right' }, {}, { style: 'dim' }, {}];

/** `mempalace task list`. */
export function list(context: CommandContext, flags: ListFlags): Promise<void> {
  const { terminal } = context;
  const { agent, all = false, limit, offset } = flags;
  return withService(context, async (service, call) => {
    const states = all ? undefined : UNFINISHED;
    const found = await service.tasks({ states, agent, limit, offset }, call);
    terminal.json(tasksDocument(found, offset));
    const { tasks, total } = found;
    if (terminal.options.json) return;
    if (tasks.length === 0) terminal.note(offset > 0 ? `no tasks from ${offset + 1} on` : 'no tasks');
    else terminal.note(`tasks (${NOTICE})`);
    const rows = tasks.map((task) => [
      String(task.id),
      stateOf(task),
      minuteOf(task.doneAt ?? task.takenAt ?? task.addedAt),
      BAR + line(task.result === null ? task.text : `${task.text} → ${task.result}`),
    ]);
    const { width, style } = terminal;
    for (const row of renderTable(rows, COLUMNS, { width, paint: style })) terminal.data(row);
    const end = offset + tasks.length;
    if (end < total) terminal.note(`${offset + 1}–${end} of ${total}; --offset ${end} shows more`);
  });
}

function stateOf({ state, agent, takenBy, doneBy }: Task): string {
  if (state === 'open') return agent === null ? state : `open for ${agent}`;
  const by = state === 'taken' ? takenBy : doneBy;
  return by === null ? state : `${state} by ${by}`;
}
