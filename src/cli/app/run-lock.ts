import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '../../platform/lock.js';
import { refuseForeignBroker } from './foreign-broker.js';
import type { CommandContext } from './runner.js';

/**
 * Runs `work` under the run lock of a palace. Unlike `withRun` it does not open the palace, which may be damaged.
 *
 * @param make creates a missing folder
 * @throws UserError `locked` as `takeLock` and `refuseForeignBroker` do, `not-found` if there is no folder
 */
export async function underRunLock<T>(
  palace: string,
  { command, waitMs, make = false }: { command: string; waitMs: number; make?: boolean },
  context: CommandContext,
  work: () => Promise<T>,
): Promise<T> {
  if (!make && !existsSync(palace)) {
    const { noPalace } = await import('../../store/index.js');
    throw noPalace(palace);
  }
  await refuseForeignBroker(palace);
  const lock = await takeLock(join(palace, 'run.lock'), command, waitMs, context.signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
