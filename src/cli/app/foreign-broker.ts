import { hostname } from 'node:os';
import { readRecord } from '../../broker/record.js';
import { UserError } from '../../core/errors.js';
import { line } from '../../core/outside.js';

/**
 * Refuses to write a palace on a shared file system while another machine has its broker: locks do not reach from one
 * machine to another there.
 *
 * @throws UserError `locked`
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
  throw new UserError(
    'locked',
    `the palace is on a shared file system (${kind}), and the broker on ${line(record.host)} writes it`,
    {
      hint: `let that machine write: ssh ${line(record.host)} mempalace-mcp, or docs/remote.md; if its broker is gone, remove broker.json in the palace's folder`,
    },
  );
}
