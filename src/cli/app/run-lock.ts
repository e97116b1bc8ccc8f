import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { takeLock } from '../../platform/lock.js';
import type { CommandContext } from './runner.js';

/**
 * Holds a palace's run lock while `work` does what no run may see half done. Unlike `withRun` it does not open
 * the palace: what lies there may be damaged.
 *
 * @param make the palace's folder may be missing and is made
 * @throws UserError `locked` as `takeLock` does, `not-found` where there is no folder
 */
export async function underRunLock<T>(
  palace: string,
  { command, waitMs, make = false }: { command: string; waitMs: number; make?: boolean },
  context: CommandContext,
  work: () => Promise<T>,
): Promise<T> {
  if (!make && !existsSync(palace)) throw new UserError('not-found', `there is no palace at ${palace}`);
  const lock = await takeLock(join(palace, 'run.lock'), command, waitMs, context.signal);
  try {
    return await work();
  } finally {
    lock.release();
  }
}
