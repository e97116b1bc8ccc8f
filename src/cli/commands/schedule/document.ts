import { snakeNamed } from '../../../core/case.js';
import { UserError } from '../../../core/errors.js';
import type { Document } from '../../../presentation/documents/index.js';
import { JOBS, type Job, type SchedulerId, scheduleStatus } from '../../../schedule/index.js';
import type { CommandContext } from '../../app/runner.js';

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
