import { UserError } from '../../core/errors.js';
import type { CommandRuns } from '../../store/index.js';

/** When what fills the palace last did so. */
export type FeederJson = ReturnType<typeof feederJson>;

export function feederJson({ command, lastMs, lastExitCode, succeededMs, doneMs }: CommandRuns) {
  const moment = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());
  return {
    command,
    last_run: moment(lastMs),
    last_exit_code: lastExitCode,
    last_succeeded: moment(succeededMs),
    last_done: moment(doneMs),
  };
}

/** The same from a palace that need not be there, nor be readable: other commands say what is wrong with it. */
export async function feedersOf(folder: string): Promise<FeederJson[]> {
  const { Palace, palaceExists } = await import('../../store/index.js');
  if (!palaceExists(folder)) return [];
  try {
    return Palace.look(folder, ({ runs }) => runs.byCommand().map(feederJson));
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
