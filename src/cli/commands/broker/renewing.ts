import { setTimeout as sleep } from 'node:timers/promises';
import { UserError } from '../../../core/errors.js';
import { Palace } from '../../../store/index.js';
import type { CommandContext } from '../../app/runner.js';
import { writingOnce } from '../../app/single-write.js';

/** Of each second, this much is spent on it: clients and other writers come first. */
const [RENEW_MS, PAUSE_MS] = [200, 800];
const PROGRAM = 'mempalace broker';

/** Gives drawers that an earlier version filed the words of this one, a step at a time, until the signal. */
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
