import type * as z from 'zod/mini';
import { coverageText, renewalText } from '../../core/coverage.js';
import { dayOf } from '../../core/day.js';
import { UserError } from '../../core/errors.js';
import { BAR } from '../../core/outside.js';
import { waiting } from '../../hooks/queue.js';
import { places } from '../../operations/listing/places.js';
import { type Status, status, summariesOf } from '../../operations/listing/status.js';
import { ask } from '../../operations/operation.js';
import { formatBytes, formatSeconds, minuteOf, plural } from '../../terminal/durations.js';
import { levels, perWeek } from '../../terminal/spark.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import { wrap } from '../../terminal/wrap.js';
import { sayWarnings } from '../app/open-palace.js';
import { withService } from '../app/open-service.js';
import { createCommand } from '../app/options.js';
import { action, type CommandContext } from '../app/runner.js';
import { surroundingsOf } from '../app/surroundings.js';

const EXAMPLES = `
Examples:
  mempalace status          contents, and the last success of each program
  mempalace status --json   the same for a script`;

export const command = createCommand('status', 'Show the contents of the palace and the last runs')
  .addHelpText('after', EXAMPLES)
  .action(action(runStatus));

const WEEKS_SHOWN = 26;

async function runStatus(context: CommandContext): Promise<void> {
  const { terminal, config } = context;
  const now = new Date();
  const since = dayOf(now.getTime() - WEEKS_SHOWN * 7 * 86_400_000);
  const { found, days } = await sayingWhatWaits(context, () =>
    withService(
      context,
      async (service, call) => ({
        found: await ask(service, status, { summaries: summariesOf(config) }, call),
        days: terminal.draws ? (await ask(service, places.listDays, { since }, call)).days : [],
      }),
      { warns: false },
    ),
  );
  const whole = { ...found, ...(await surroundingsOf(found.feeders, context)) };
  terminal.json(whole);
  printStatus(whole, terminal, weeksOf(days, now));
  sayWarnings(found.remarks, terminal);
}

const waitText = (count: number): string => `${plural(count, 'session')} ${count === 1 ? 'waits' : 'wait'}`;

/** A broker out of reach says nothing; what waits for it is on this machine. */
async function sayingWhatWaits<T>({ folders }: CommandContext, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const count = waiting(folders.palace);
    if (!(error instanceof UserError) || error.code !== 'unreachable' || count === 0) throw error;
    throw new UserError('unreachable', `${error.message}; ${waitText(count)} here for it`, {
      hint: `the next hook sends them when it answers, or: mempalace hook flush; ${error.hint}`,
    });
  }
}

type Days = z.output<ReturnType<typeof places.listDays.output>>['days'];

/** How much content the last weeks have; empty without any. */
function weeksOf(days: Days, now: Date): string {
  const counts = days.map(({ day, drawers }) => [day, drawers] as const);
  return levels(perWeek(counts, dayOf(now), WEEKS_SHOWN))
    .join('')
    .trimStart();
}

function printStatus(status: Status, terminal: Terminal, weeks: string): void {
  terminal.data(`${terminal.style('bold', line(status.palace))}  ${formatBytes(status.bytes)}`);
  terminal.data(`model ${status.model.id} (${status.model.dimension} dimensions)`);
  terminal.data(`${plural(status.drawers, 'drawer')} from ${plural(status.sources, 'source')}`);
  if (weeks !== '')
    terminal.data(
      `${terminal.style('cyan', weeks)}  the last ${weeks.length === 1 ? 'week' : `${weeks.length} weeks`}`,
    );
  if (status.broker !== null) {
    const { clients, pid, http } = status.broker;
    terminal.data(`its broker serves ${plural(clients, 'client')} (process ${pid})`);
    if (http !== undefined) terminal.data(`for other machines: ${line(http)}`);
  }
  if (status.meaning.pending > 0) terminal.data(`found ${coverageText(status.meaning)}`);
  if (status.words !== undefined) terminal.data(renewalText(status.words));
  if (status.tasks !== undefined)
    terminal.data(`tasks: ${status.tasks.open} open, ${status.tasks.taken} taken (mempalace task list)`);
  if (status.hooks !== undefined) printUnfiled(status.hooks, terminal);
  if (status.summaries !== undefined) {
    const { model, spent_today: spent, daily_budget: budget } = status.summaries;
    terminal.data(`summaries by ${line(model)}: ${spent} of ${budget} tokens used today`);
  }
  for (const wing of status.wings) {
    terminal.data('');
    terminal.data(
      `${BAR}${terminal.style('cyan', line(wing.wing))}  ${plural(wing.drawers, 'drawer')}, ${plural(wing.sources, 'source')}`,
    );
    for (const { room, sources, drawers } of wing.rooms) {
      terminal.data(
        `${BAR}  ${line(room).padEnd(28)} ${plural(drawers, 'drawer').padStart(15)} ${plural(sources, 'source').padStart(14)}`,
      );
    }
  }
  for (const { notice } of status.stale)
    terminal.data(`\n${wrap(terminal.style('yellow', `notice: ${notice}`), terminal.width)}`);
  if (status.runs.length === 0) return;
  terminal.data('');
  terminal.data('last success');
  for (const feeder of status.feeders)
    terminal.data(
      `  ${line(feeder.command).padEnd(18)} ${successOf(feeder, isRunning(feeder, status.runs))}`,
    );
  terminal.data('');
  terminal.data('last runs');
  for (const run of status.runs) {
    const when = minuteOf(run.started);
    const took = run.seconds === null ? '' : `, ${formatSeconds(run.seconds)}`;
    const filed = run.drawers_added === null ? '' : `, ${plural(run.drawers_added, 'drawer')} filed`;
    const unended = run.running ? 'running' : 'did not end';
    const outcome = run.exit_code === null ? unended : `exit ${run.exit_code}${took}${filed}`;
    terminal.data(`  ${when}  ${line(run.command).padEnd(18)} ${outcome}`);
  }
}

const ASIDE_SHOWN = 5;

function printUnfiled({ waiting, set_aside: aside }: NonNullable<Status['hooks']>, terminal: Terminal): void {
  if (waiting > 0)
    terminal.data(`${plural(waiting, 'session')} of hooks not filed yet (mempalace hook flush files them)`);
  if (aside.length === 0) return;
  const notice = `${plural(aside.length, 'session')} of hooks could not be filed (mempalace hook flush --retry tries again, --drop forgets)`;
  terminal.data(terminal.style('yellow', notice));
  for (const { harness, session_id: id, reason } of aside.slice(0, ASIDE_SHOWN))
    terminal.data(`${BAR}${[harness, id].map((name) => line(name ?? 'unknown')).join(' ')}: ${line(reason)}`);
  if (aside.length > ASIDE_SHOWN) terminal.data(`${BAR}${aside.length - ASIDE_SHOWN} more`);
}

/** Only one run at a time files, so a run in progress is among the last. */
function isRunning({ command }: Status['feeders'][number], runs: Status['runs']): boolean {
  return runs.some((run) => run.running && run.command === command);
}

/** A run with exit code 3 filed only a part, so it is mentioned but not called a success. */
function successOf(feeder: Status['feeders'][number], running: boolean): string {
  const { last_succeeded: succeeded, last_done: done, last_exit_code: code } = feeder;
  const notes = [];
  if (done !== null && done !== succeeded) notes.push(`last incomplete run: ${minuteOf(done)}`);
  if (running) notes.push('running now');
  else if (code === null) notes.push('its last run has not ended');
  else if (code !== 0 && code !== 3) notes.push(`its last run failed (exit ${code})`);
  const rest = notes.length === 0 ? '' : `  (${notes.join('; ')})`;
  return `${succeeded === null ? 'never' : minuteOf(succeeded)}${rest}`;
}
