import { join } from 'node:path';
import type { DoctorContext } from './context.js';
import { type Finding, ok } from './finding.js';

/** Who files into the palace right now; nothing is wrong with that. */
export async function checkLock(context: DoctorContext): Promise<Finding[]> {
  const { lockHolder } = await import('../../platform/lock.js');
  const holder = lockHolder(join(context.palace, 'run.lock'));
  context.holder = holder;
  if (holder === undefined) return [ok('run lock', 'nobody holds it')];
  const { command, pid, since } = holder;
  return [ok('run lock', `held by ${command} (process ${pid}, since ${since})`)];
}
