import { projectListPath, readProjectList } from '../../../config/projects.js';
import { snakeNamed } from '../../../core/case.js';
import { UserError } from '../../../core/errors.js';
import type { Folders } from '../../../platform/folders.js';
import type { Document } from '../../../rest/documents.js';
import {
  JOBS,
  type Job,
  placeOf,
  type SchedulerId,
  type Step,
  schedulersAt,
  scheduleStatus,
  statusOfJob,
} from '../../../schedule/index.js';
import { minuteOf } from '../../../terminal/durations.js';
import { line } from '../../../terminal/terminal.js';
import { choiceOption, createCommand, type FlagsOf } from '../../app/options.js';
import { action, type CommandContext } from '../../app/runner.js';
import { chosen, optionsOf, printSteps, type SchedulerStep } from './steps.js';

const HELP = `
Without a command, schedule shows the installed schedules. install runs
mempalace-session every week, and mempalace-docs --all if projects are listed.
Installing twice changes nothing. contrib/README.md describes the manual steps.

Examples:
  mempalace schedule install   run the feeders every week
  mempalace schedule           next runs, and results of the last ones`;

/** Those of all three commands. */
const choosing = (name: string, description: string) =>
  createCommand(name, description)
    .addOption(
      choiceOption('--with <scheduler>', 'the scheduler (default: the one of this machine)', [
        'systemd',
        'launchd',
        'cron',
      ]),
    )
    .addOption(choiceOption('--only <feeder>', 'only this feeder (default: both)', ['session', 'docs']));
type StatusFlags = FlagsOf<ReturnType<typeof choosing>>;

const changing = (name: string, description: string) =>
  choosing(name, description)
    .option('--bin <folder>', 'folder of the programs (default: the folder of this one, else ~/.local/bin)')
    .option('--dry-run', 'show what would be done; change nothing');
type ScheduleFlags = FlagsOf<ReturnType<typeof changing>>;

export const command = createCommand('schedule', 'Run the feeders every week')
  .addCommand(
    choosing('status', 'Show installed schedules, next runs and last results').action(action(showStatus)),
    { isDefault: true },
  )
  .addCommand(changing('install', 'Install the weekly schedule').action(action(install)))
  .addCommand(changing('remove', 'Remove the weekly schedule').action(action(remove)))
  .addHelpText('after', HELP);

type Status = Document<'scheduleStatus'>;

const NONE = 'no schedule is installed';
const BY_HAND =
  'run mempalace-session --since --quiet yourself, or when your container starts (contrib/README.md)';

function jobsOf({ only }: StatusFlags): readonly Job[] {
  return only === undefined ? JOBS : JOBS.filter((job) => job === `mempalace-${only}`);
}

async function showStatus(context: CommandContext, flags: StatusFlags): Promise<void> {
  const jobs = jobsOf(flags);
  const document = await scheduleDocument(optionsOf(context), { jobs, scheduler: flags.with });
  context.terminal.json(document);
  printStatus(document, jobs, context);
}

export async function install(context: CommandContext, flags: ScheduleFlags): Promise<number> {
  const { folders, terminal } = context;
  const scheduler = await chosen(schedulersAt(placeOf(optionsOf(context, flags.bin))), flags.with, BY_HAND);
  const steps: Step[] = [];
  let jobs = jobsOf(flags);
  if (flags.only === undefined && readProjectList(folders).projects.length === 0) {
    jobs = jobs.filter((job) => job !== 'mempalace-docs');
    const why = `${projectListPath(folders)} lists no project: mempalace projects add <dir>, then install again`;
    steps.push({ what: 'mempalace-docs', done: 'skipped', why });
  }
  steps.push(...(await scheduler.install(jobs, flags.dryRun === true)));
  const tagged = steps.map((step) => ({ ...step, scheduler: scheduler.id }));
  const code = printSteps('install', tagged, flags, context, NONE);
  if (flags.dryRun === true || terminal.options.json) return code;
  for (const job of jobs) {
    const { next } = await statusOfJob(scheduler, job);
    if (next !== null) terminal.say(`${job} runs next ${minuteOf(next)}`);
  }
  return code;
}

export async function remove(context: CommandContext, flags: ScheduleFlags): Promise<number> {
  const steps: SchedulerStep[] = [];
  for (const scheduler of schedulersAt(placeOf(optionsOf(context, flags.bin)))) {
    if (flags.with !== undefined && scheduler.id !== flags.with) continue;
    // Only cron needs its program; the files of the other schedulers can always be removed.
    if (scheduler.id === 'cron' && flags.with === undefined && (await scheduler.unavailable()) !== undefined)
      continue;
    const done = await scheduler.remove(jobsOf(flags), flags.dryRun === true);
    steps.push(...done.map((step) => ({ ...step, scheduler: scheduler.id })));
  }
  return printSteps('remove', steps, flags, context, NONE);
}

function printStatus(
  { schedules, feeders }: Status,
  jobs: readonly Job[],
  { terminal, folders }: CommandContext,
): void {
  const installed = schedules.filter((each) => each.installed);
  for (const job of jobs) {
    const mine = installed.filter((each) => each.command === job);
    terminal.data(terminal.style('bold', job));
    if (mine.length === 0) terminal.data(`  not scheduled: ${howToSchedule(job, folders)}`);
    for (const each of mine) {
      const next = each.next === null ? 'next run unknown' : `next run ${minuteOf(each.next)}`;
      const last = each.last === null ? '' : `, last started ${minuteOf(each.last)}`;
      const result = each.result === null ? '' : ` (${resultOf(each)})`;
      terminal.data(
        `  ${each.scheduler.padEnd(8)} ${each.active === false ? 'not active' : next}${last}${result}`,
      );
      for (const problem of each.problems)
        terminal.data(`           ${terminal.style('yellow', line(problem))}`);
    }
    terminal.data(`  ${recordOf(feeders.find(({ command }) => command === job))}`);
  }
}

function howToSchedule(job: Job, folders: Folders): string {
  const install = 'mempalace schedule install';
  const unlisted = job === 'mempalace-docs' && readProjectList(folders).projects.length === 0;
  return unlisted ? `mempalace projects add <dir>, then ${install}` : install;
}

function resultOf({ result, exit_code: exitCode }: Status['schedules'][number]): string {
  if (exitCode === null || exitCode === 0 || result === `exit ${exitCode}`) return line(result ?? '');
  return line(`${result}, exit ${exitCode}`);
}

/** The last run in the palace's records, scheduled or not. */
function recordOf(feeder: Status['feeders'][number] | undefined): string {
  if (feeder === undefined || feeder.last_run === null) return 'palace   has no run on record';
  const { last_run: run, last_exit_code: code, last_done: done } = feeder;
  const outcome = code === null ? 'did not end' : `exit ${code}`;
  const before = done === null ? ', never done' : done === run ? '' : `, last done ${minuteOf(done)}`;
  return `palace   last run ${minuteOf(run)} (${outcome})${before}`;
}

interface Wanted {
  /** Default: all. */
  jobs?: readonly Job[];
  scheduler?: SchedulerId | undefined;
}

/** What schedulers know of the feeders, and what the palace recorded of their runs. */
export async function scheduleDocument(
  { folders, ...place }: Pick<CommandContext, 'env' | 'folders'> & { palace?: string | undefined },
  { jobs = JOBS, scheduler: only }: Wanted = {},
): Promise<Document<'scheduleStatus'>> {
  const all = await scheduleStatus({ folders, ...place }, jobs);
  const feeders = (await feedersOf(folders.palace)).filter(({ command }) =>
    jobs.some((job) => job === command),
  );
  const schedules = all
    .filter(({ scheduler }) => only === undefined || scheduler === only)
    .map(({ scheduler, job: command, ...rest }) => snakeNamed({ scheduler, command, ...rest }));
  return { schedules, feeders };
}

/** Empty if the palace is missing or unreadable; other commands report that. */
async function feedersOf(folder: string) {
  const [{ Palace, palaceExists }, { shownFeeder }] = await Promise.all([
    import('../../../store/index.js'),
    import('../../../operations/listing/status.js'),
  ]);
  if (!palaceExists(folder)) return [];
  try {
    return Palace.look(folder, ({ runs }) => runs.byCommand().map(shownFeeder));
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
