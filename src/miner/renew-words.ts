import { breather } from '../platform/breather.js';
import type { MineOptions } from './mining.js';

const STEP_MS = 200;
/** A run leaves the rest to the next one, or to the broker. */
const RUN_MS = 5_000;

interface RenewOptions extends Pick<MineOptions, 'palace' | 'signal' | 'timeIsUp'> {
  /** Milliseconds for all steps. */
  budgetMs?: number;
  onProgress?: (done: number, total: number) => void;
}

/**
 * Gives drawers that an earlier version filed the words that this one finds them by. Each step is one transaction.
 *
 * @returns whether drawers are left
 * @throws the signal's reason
 */
export async function renewWords(options: RenewOptions): Promise<boolean> {
  const { palace, signal, timeIsUp, budgetMs = RUN_MS, onProgress } = options;
  const until = performance.now() + budgetMs;
  const breathe = breather(0);
  while (palace.renewal.step(STEP_MS)) {
    const progress = onProgress && palace.renewal.progress();
    if (progress) onProgress(progress.texts - progress.pending, progress.texts);
    if (performance.now() > until || timeIsUp?.() === true) return true;
    await breathe();
    signal?.throwIfAborted();
  }
  return false;
}
