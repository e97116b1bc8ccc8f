import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_LOCK, takeLock } from '../../platform/lock.js';
import { claimPalace } from '../../platform/writers.js';
import { refuseForeignBroker } from './foreign-broker.js';
import type { CommandContext } from './runner.js';

interface RunLockOptions {
  command: string;
  /** For another run, here or on another machine. */
  waitMs: number;
  /** Creates a missing folder. */
  make?: boolean;
  /** Refuses the short writes of other programs meanwhile. */
  alone?: boolean;
}

/**
 * Runs `work` under the run lock of a palace, as its writer. Unlike `withRun` it does not open the palace, which may be
 * damaged.
 *
 * @throws UserError `locked` as `takeLock`, `claimPalace` and `refuseForeignBroker` do, `not-found` if there is no folder
 */
export async function underRunLock<T>(
  palace: string,
  { command: program, waitMs, make = false, alone = false }: RunLockOptions,
  context: CommandContext,
  work: () => Promise<T>,
): Promise<T> {
  if (!make && !existsSync(palace)) {
    const { noPalace } = await import('../../store/index.js');
    throw noPalace(palace);
  }
  await refuseForeignBroker(palace);
  const { signal } = context;
  const until = performance.now() + waitMs;
  const lock = await takeLock(join(palace, RUN_LOCK), program, waitMs, signal);
  try {
    const leftMs = Math.max(0, until - performance.now());
    const claim = await claimPalace(palace, { program, waitMs: leftMs, steady: true, alone, signal });
    try {
      return await work();
    } finally {
      claim.release();
    }
  } finally {
    lock.release();
  }
}
