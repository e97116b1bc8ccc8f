import { statfsSync } from 'node:fs';
import type { Warning } from './ownership.js';

/** `f_type` of Linux's statfs (linux/magic.h and the file systems' own sources). */
const NETWORK: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4283649346: 'SMB',
  4266872130: 'SMB',
  16914839: '9p', // WSL2's view of Windows drives, QEMU's shared folders
  1702057286: 'FUSE', // virtiofs, sshfs, Docker Desktop's and VMware's shared folders, disks of other systems
  2020557398: 'VirtualBox shared folder',
  2088527475: 'Parallels shared folder',
  3133910204: 'VMware shared folder',
  1397113167: 'AFS',
  1937076805: 'Coda',
  12805120: 'Ceph',
  198183888: 'Lustre',
  1196443219: 'GPFS',
  18225520: 'GFS2',
  1952539503: 'OCFS2',
};

/**
 * The kind of a folder's network or shared file system; undefined for a local disk. On a network file system, programs
 * do not share the memory of a WAL (sqlite.org/wal.html), so a rollback journal is used. Detected only on Linux.
 */
export function networkFileSystem(folder: string, typeOf = linuxType): string | undefined {
  const type = typeOf(folder);
  return type === undefined ? undefined : NETWORK[type];
}

export function networkWarning(folder: string): Warning | undefined {
  const kind = networkFileSystem(folder);
  if (kind === undefined) return undefined;
  return {
    text: `${folder} is on a network or shared file system (${kind}): only one machine at a time may write there`,
    hint: 'keep the palace on a local disk where you can: --palace, or palace: in config.yaml',
  };
}

function linuxType(folder: string): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return statfsSync(folder).type >>> 0;
  } catch {
    return undefined;
  }
}
