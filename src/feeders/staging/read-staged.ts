import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_NAME, type Manifest } from '../../core/contract.js';
import { readManifest } from '../../platform/manifest-file.js';
import { foldersIn } from './staged-files.js';
import type { StagedEntry } from './staged-records.js';

/** Folder of the staged transcripts below the cache root. It contains one manifest per wing. */
export const TRANSCRIPTS_ROOT = 'mempalace-session';

/** As in the manifest: `path` is relative to the folder. */
export type StagedTranscript = Readonly<StagedEntry>;

/**
 * The staged transcripts of all wings by source key, read without side effects. A folder with an invalid manifest is
 * skipped.
 *
 * @param recordOf undefined for a transcript of another feeder or version. A record has only what is needed, since there
 *   may be 100,000.
 * @param manifests for the staging in the same run
 */
export function readStaged<Made>(
  cache: string,
  recordOf: (source: StagedTranscript, wing: string, folder: string) => Made | undefined,
  manifests = new ReadAhead(),
): Map<string, Made[]> {
  const staged = new Map<string, Made[]>();
  for (const wing of foldersIn(join(cache, TRANSCRIPTS_ROOT))) {
    const folder = join(cache, TRANSCRIPTS_ROOT, wing);
    for (const source of manifests.read(folder)?.sources ?? []) {
      const record = recordOf(source, wing, folder);
      if (record === undefined) continue;
      const others = staged.get(source.sourceKey);
      if (others === undefined) staged.set(source.sourceKey, [record]);
      else others.push(record);
    }
  }
  return staged;
}

/**
 * The manifests that a survey read without a lock, for the staging of the same run: reading that of 10,000 sources takes a
 * tenth of a run in which nothing changed.
 */
export class ReadAhead {
  readonly #read = new Map<string, { manifest: Manifest; stamp: string }>();

  /** As `readManifest`. */
  read(folder: string): Manifest | undefined {
    const stamp = stampOf(folder);
    const manifest = readManifest(folder);
    if (manifest !== undefined && stamp !== undefined) this.#read.set(folder, { manifest, stamp });
    return manifest;
  }

  /** The manifest as it is now; the caller may change it. Read again if the file was replaced since. */
  take(folder: string): Manifest | undefined {
    const read = this.#read.get(folder);
    this.#read.delete(folder);
    return read !== undefined && read.stamp === stampOf(folder) ? read.manifest : readManifest(folder);
  }
}

/** Differs for every manifest, since it is written to a new file and renamed. */
function stampOf(folder: string): string | undefined {
  const stat = lstatSync(join(folder, MANIFEST_NAME), { throwIfNoEntry: false, bigint: true });
  return stat && `${stat.ino} ${stat.size} ${stat.mtimeNs} ${stat.ctimeNs}`;
}
