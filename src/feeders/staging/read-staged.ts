import { join } from 'node:path';
import { ReadAhead } from './read-ahead.js';
import { foldersIn } from './staged-files.js';
import type { StagedEntry } from './staging.js';

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
