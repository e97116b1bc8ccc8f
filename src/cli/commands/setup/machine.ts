import { addProject, readProjectList, removeProject } from '../../../config/projects.js';
import { UserError } from '../../../core/errors.js';
import { findProjectRoot, isProjectRoot } from '../../../feeders/docs/root.js';
import { agentsWithSessions } from '../../../feeders/transcripts/present.js';
import { missingFolders } from '../../../platform/make-folder.js';
import { JOBS, placeOf, schedulersAt, scheduleStatus } from '../../../schedule/index.js';
import { type SetupRecord, writeRecord } from '../../../setup/record.js';
import type { CommandContext } from '../../app/runner.js';
import { chosen, optionsOf } from '../schedule/steps.js';
import type { Change } from './change.js';
import type { SetupStep } from './command.js';
import { runFeeder } from './feeder.js';

/** What concerns no agent's own files. */
export interface Machine {
  context: CommandContext;
  record: SetupRecord;
  steps: readonly SetupStep[];
  /** Ids of agents; undefined for all of them. */
  agents: readonly string[] | undefined;
  /** The current folder. */
  folder: string;
  /** Messages of the shortest session that is filed. */
  minMessages: number;
}

/** History, project and schedule, as far as they are missing. */
export async function machineChanges(machine: Machine): Promise<Change[]> {
  const { steps } = machine;
  const project = steps.includes('project') ? await projectChange(machine) : [];
  return [
    ...(steps.includes('history') ? await historyChange(machine) : []),
    ...project,
    ...(steps.includes('schedule') ? await scheduleChange(machine, project.length > 0) : []),
  ];
}

async function historyChange(machine: Machine): Promise<Change[]> {
  const { context, record, agents } = machine;
  const { env, folders } = context;
  const isWanted = (id: string) => agents?.includes(id) ?? true;
  const found = (await agentsWithSessions(env, folders)).filter(
    ({ name }) => isWanted(name) && !record.history.includes(name),
  );
  const least = machine.minMessages;
  const common = { agent: undefined, steps: ['history'] as const, lines: [] };
  if (found.length === 0)
    return record.history.some(isWanted)
      ? [{ ...common, what: 'sessions of agents', done: 'unchanged' }]
      : [];
  const change: Change = {
    ...common,
    what: `sessions of ${found.map(({ label }) => label).join(', ')}`,
    done: 'filed',
    why: least > 1 ? `those with at least ${least} messages; --min-messages 1 takes all` : undefined,
    doIt: async () => {
      const from = found.flatMap(({ name }) => ['--from', name]);
      change.why = await runFeeder('mempalace-session', [...from, '--min-messages', `${least}`], context);
      record.history.push(...found.map(({ name }) => name));
      writeRecord(context.folders, record);
    },
  };
  return [change];
}

async function projectChange({ context, record, folder }: Machine): Promise<Change[]> {
  const { folders } = context;
  const { root } = await findProjectRoot(folder, folders.home);
  if (!isProjectRoot(root)) return [];
  const list = readProjectList(folders);
  const common = { agent: undefined, steps: ['project'] as const, what: root, lines: [] };
  if (list.projects.some(({ dir }) => dir === root)) return [{ ...common, done: 'unchanged' }];
  const change: Change = {
    ...common,
    done: 'filed',
    why: `and added to ${list.path}`,
    doIt: async () => {
      change.why = await runFeeder('mempalace-docs', [root], context);
      const made = missingFolders(list.path);
      addProject(folders, root);
      record.folders.push(...made);
      record.projects.push(root);
      writeRecord(folders, record);
    },
  };
  return [change];
}

/** @param listsProject a project will be listed */
async function scheduleChange({ context, record }: Machine, listsProject: boolean): Promise<Change[]> {
  const options = optionsOf(context);
  const common = { agent: undefined, steps: ['schedule'] as const, lines: [] };
  try {
    const scheduler = await chosen(schedulersAt(placeOf(options)), undefined, '');
    const status = await scheduleStatus(options);
    const hasProjects = listsProject || readProjectList(context.folders).projects.length > 0;
    const wanted = JOBS.filter((job) => job !== 'mempalace-docs' || hasProjects);
    const missing = wanted.filter((job) => !status.some((each) => each.installed && each.job === job));
    if (missing.length === 0) return [{ ...common, what: 'weekly runs', done: 'unchanged' }];
    const doIt = async () => {
      await scheduler.install(missing, false);
      record.jobs.push(...missing.filter((job) => !record.jobs.includes(job)));
      writeRecord(context.folders, record);
    };
    return [
      {
        ...common,
        what: `weekly runs of ${missing.join(', ')}`,
        done: 'scheduled',
        why: `with ${scheduler.id}`,
        doIt,
      },
    ];
  } catch (error) {
    // Nothing is wrong with a machine without a scheduler.
    if (error instanceof UserError)
      return [{ ...common, what: 'no weekly runs', done: 'unchanged', why: error.message }];
    throw error;
  }
}

/** Takes back the list entry and the schedule. What was filed stays. */
export function machineUndo({ context, record, steps }: Machine): Change[] {
  const { folders } = context;
  const undone = (step: SetupStep, what: string, work: () => Promise<void> | void): Change => ({
    agent: undefined,
    steps: [step],
    what,
    done: 'removed',
    lines: [],
    doIt: async () => {
      await work();
      writeRecord(folders, record);
    },
  });
  const changes: Change[] = [];
  const jobs = JOBS.filter((job) => record.jobs.includes(job));
  if (steps.includes('schedule') && jobs.length > 0)
    changes.push(
      undone('schedule', `weekly runs of ${jobs.join(', ')}`, async () => {
        for (const scheduler of schedulersAt(placeOf(optionsOf(context))))
          if ((await scheduler.unavailable()) === undefined) await scheduler.remove(jobs, false);
        record.jobs = [];
      }),
    );
  if (steps.includes('project'))
    for (const root of record.projects)
      changes.push(
        undone('project', `${root}, from the list of projects`, () => {
          removeProject(folders, [root]);
          record.projects = record.projects.filter((each) => each !== root);
        }),
      );
  if (steps.includes('history') && record.history.length > 0)
    changes.push(
      undone('history', 'the list of agents whose history was filed; what was filed stays', () => {
        record.history = [];
      }),
    );
  return changes;
}
