import { setTimeout as sleep } from 'node:timers/promises';
import { LockedElsewhere, UserError } from '../../core/errors.js';
import type { Palace, RunStart } from '../../store/index.js';
import type { ServiceCall } from '../contract/index.js';
import type { Resources, Writer } from './resources.js';

/** Milliseconds between two attempts to write. */
const PAUSE_MS = 50;

/** @throws UserError `failed` in a service that only reads */
export function writerOf({ writer }: Resources): Writer {
  if (writer === undefined) throw new UserError('failed', 'the palace is open for reading only');
  return writer;
}

/**
 * Does one short write; `run` is its record. While another program writes, `work` is repeated for as long as the caller
 * waits: it must change everything in one transaction.
 */
export async function write<T>(
  resources: Resources,
  { through, waitMs, signal }: ServiceCall,
  work: (palace: Palace, run: RunStart) => Promise<T>,
): Promise<T> {
  const until = performance.now() + waitMs;
  for (;;) {
    const began = performance.now();
    try {
      return await writerOf(resources).write(through, work);
    } catch (error) {
      const locked =
        error instanceof UserError && error.code === 'locked' && !(error instanceof LockedElsewhere);
      const now = performance.now();
      // The next attempt may take as long as this one did.
      if (!locked || now + (now - began) + PAUSE_MS > until) throw error;
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
}

/** Records a change in its own transaction. */
export function recording(palace: Palace, run: RunStart): () => void {
  return () => {
    palace.runs.add(run, { exitCode: 0, counts: {}, skipped: [] });
  };
}
