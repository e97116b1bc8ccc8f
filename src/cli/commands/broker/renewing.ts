import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../core/errors.js';
import { Palace } from '../../../store/index.js';
import type { CommandContext } from '../../app/runner.js';
import { writingOnce } from '../../app/single-write.js';

/** Milliseconds of work and of pause: clients and other writers come first. */
const [RENEW_MS, PAUSE_MS] = [200, 800];
const PROGRAM = 'mempalace broker';

/** Indexes drawers of an earlier version again, step by step, until it is done or the signal is aborted. */
export async function renewInBackground(
  context: CommandContext,
  folder: string,
  signal: AbortSignal,
  onTrouble: (error: unknown) => void,
): Promise<void> {
  const step = async (): Promise<boolean> => {
    try {
      if (Palace.look(folder, ({ renewal }) => renewal.progress()) === undefined) return false;
      const { renewWords } = await import('../../../miner/renew-words.js');
      return await writingOnce(folder, { ...context, signal }, { make: false, program: PROGRAM }, (palace) =>
        renewWords({ palace, signal, budgetMs: RENEW_MS }),
      );
    } catch (error) {
      if (!signal.aborted) onTrouble(error);
      return error instanceof UserError && error.code === 'locked';
    }
  };
  // After another failure, the next run or the next broker goes on.
  while (!signal.aborted && (await step()))
    await sleep(PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
}
