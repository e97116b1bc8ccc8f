import { hostname } from 'node:os';
import { join } from 'node:path';
import { readRecord } from '../../broker/record.js';
import { LockedElsewhere } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { BROKER_LOCK, lockHolder } from '../../platform/lock.js';
import { foreignWriter } from '../../platform/writers.js';

/**
 * Refuses to write a palace on a shared file system while the record of another machine's broker is there that does not
 * claim the palace as `claimPalace` does, because its build is older: nobody here knows whether it lives.
 *
 * @throws LockedElsewhere
 */
export async function refuseForeignBroker(
  palace: string,
  kindOf?: (folder: string) => string | undefined,
): Promise<void> {
  const record = readRecord(palace);
  if (record === undefined || record.claims === true || record.host === hostname()) return;
  const { networkFileSystem } = await import('../../store/index.js');
  const kind = (kindOf ?? networkFileSystem)(palace);
  if (kind === undefined) return;
  throw new LockedElsewhere(
    `the palace is on a shared file system (${kind}), and the broker on ${line(record.host)} writes it`,
    `let that machine write: MEMPALACE_BROKER=ssh://${line(record.host)} (docs/remote.md); if its broker is gone, remove broker.json in the palace's folder`,
  );
}

/**
 * Whether the broker of another machine may run. The lock of a broker is visible here if the other machine is a container
 * on the same kernel, running or gone.
 */
export async function mayRunElsewhere(palace: string): Promise<boolean> {
  if (lockHolder(join(palace, BROKER_LOCK)) !== undefined || foreignWriter(palace) !== undefined) return true;
  if (readRecord(palace)?.claims === true) return false;
  const { networkFileSystem } = await import('../../store/index.js');
  return networkFileSystem(palace) !== undefined;
}
