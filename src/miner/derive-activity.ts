import { breather } from '../platform/breather.js';
import type { MineOptions } from './mining.js';

/**
 * Derives what sessions did, for those that an earlier version filed, or whose text was filed without it. Each session is
 * one transaction, so that a kill loses only time.
 *
 * @throws the signal's reason
 */
export async function deriveActivity({
  palace,
  signal,
  timeIsUp,
}: Pick<MineOptions, 'palace' | 'signal' | 'timeIsUp'>): Promise<void> {
  const breathe = breather();
  for (const source of palace.activity.underived()) {
    palace.activity.derive(source, palace.sources);
    // After the first one, so that runs which are all too short get on.
    if (timeIsUp?.() === true) return;
    await breathe();
    signal?.throwIfAborted();
  }
}
