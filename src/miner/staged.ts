import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Batch, Skipped } from '../common/contract.js';
import { MANIFEST_NAME } from '../common/manifest.js';
import { readManifest } from '../common/manifest-file.js';

/**
 * The batches that lie staged in a folder or below it, as their feeders left them; empty when the folder is
 * no staging folder. Files that are not there any more are skipped.
 *
 * What is staged is filed without another look for secrets, and may say that documents are gone. So a
 * manifest is believed only where feeders leave theirs: in a folder, and as a file, that nobody but this
 * user can read. One that came with somebody's repository makes no staging folder. It is not believed about what gave a
 * source its priority: only a run of the feeder itself knows what the user approved.
 */
export async function stagedBatches(folder: string): Promise<Batch[]> {
  const { default: glob } = await import('fast-glob');
  const manifests = await glob(`**/${MANIFEST_NAME}`, {
    cwd: folder,
    dot: true,
    absolute: true,
    followSymbolicLinks: false,
    suppressErrors: true,
  });
  return manifests.sort().flatMap((manifest) => {
    const path = resolve(manifest);
    const batch = isPrivate(dirname(path)) && isPrivate(path) ? stagedBatch(dirname(path)) : undefined;
    return batch === undefined ? [] : [batch];
  });
}

function isPrivate(path: string): boolean {
  const { uid, mode } = lstatSync(path);
  // Without user ids (Windows) there are no such modes.
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o077) === 0);
}

function stagedBatch(folder: string): Batch | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined) return undefined;
  const { version: _, sources, skipped, ...rest } = manifest;
  const missing: Skipped[] = [];
  const root = realpathSync(folder);
  const present = sources.flatMap(({ fingerprint: _fingerprint, priorityFrom: _priorityFrom, ...source }) => {
    const path = join(folder, source.path);
    const stat = statSync(path, { throwIfNoEntry: false });
    // A feeder stages no links, and one may lead out of the folder.
    const plain = stat?.isFile() === true && realpathSync(path) === join(root, source.path);
    if (plain && stat.size === source.bytes) return [{ ...source, path }];
    const reason = stat === undefined ? 'staged file is gone' : 'staged file was changed';
    missing.push({ origin: source.origin, reason, detail: path, problem: true });
    return [];
  });
  // A batch with files missing cannot say what is gone at the origin, nor what others hold.
  const { complete, contained, ...others } = rest;
  return {
    ...others,
    sources: present,
    skipped: [...skipped, ...missing],
    ...(missing.length === 0 ? { complete, contained } : {}),
  };
}
