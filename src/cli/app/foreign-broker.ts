import { hostname } from 'node:os';
import { join } from 'node:path';
import { BROKER_LOCK, readRecord } from '../../broker/record.js';
import { LockedElsewhere } from '../../core/errors.js';
import { line } from '../../core/outside.js';
import { lockHolder } from '../../platform/lock.js';

/**
 * Refuses to write a palace on a shared file system while another machine has its broker: locks do not reach from one
 * machine to another there.
 *
 * @throws LockedElsewhere
 */
export async function refuseForeignBroker(
  palace: string,
  kindOf?: (folder: string) => string | undefined,
): Promise<void> {
  const record = readRecord(palace);
  if (record === undefined || record.host === hostname()) return;
  const { networkFileSystem } = await import('../../store/index.js');
  const kind = (kindOf ?? networkFileSystem)(palace);
  if (kind === undefined) return;
  throw new LockedElsewhere(
    `the palace is on a shared file system (${kind}), and the broker on ${line(record.host)} writes it`,
    `let that machine write: ssh ${line(record.host)} mempalace-mcp, or docs/remote.md; if its broker is gone, remove broker.json in the palace's folder`,
  );
}

/**
 * Whether the broker of another machine may run. On a local file system that machine is a container, or one of yesterday:
 * the lock of its broker reaches here.
 */
export async function mayRunElsewhere(palace: string): Promise<boolean> {
  const { networkFileSystem } = await import('../../store/index.js');
  return networkFileSystem(palace) !== undefined || lockHolder(join(palace, BROKER_LOCK)) !== undefined;
}
