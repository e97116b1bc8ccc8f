import { join } from 'node:path';
import { z } from 'zod';
import { jsonPieces } from '../../platform/json-list.js';
import { readManifestBytes } from '../../platform/manifest-file.js';
import { foldersIn } from './staged-files.js';

/** Folder of the staged transcripts below the cache root. It contains one manifest per wing. */
export const TRANSCRIPTS_ROOT = 'mempalace-session';

const stagedTranscript = z.object({
  sourceKey: z.string(),
  path: z.string(),
  hash: z.string(),
  fingerprint: z.string(),
  title: z.string().optional(),
  directory: z.string().optional(),
  standsIn: z.array(z.string()).default([]),
  copyKeys: z.array(z.string()).default([]),
});
export type StagedTranscript = z.infer<typeof stagedTranscript>;

/**
 * The staged transcripts of all wings by source key, read without side effects. Only these fields are checked; opening a
 * folder for writing checks all fields. A folder with an invalid manifest is skipped.
 *
 * @param recordOf undefined for a transcript of another feeder or version. A record has only what is needed, since there
 *   may be 100,000.
 */
export function readStaged<Made>(
  cache: string,
  recordOf: (source: StagedTranscript, wing: string, folder: string) => Made | undefined,
): Map<string, Made[]> {
  const staged = new Map<string, Made[]>();
  for (const wing of foldersIn(join(cache, TRANSCRIPTS_ROOT))) {
    const folder = join(cache, TRANSCRIPTS_ROOT, wing);
    const bytes = readManifestBytes(folder);
    if (bytes === undefined) continue;
    const records: [string, Made][] = [];
    try {
      for (const item of jsonPieces(bytes, 'sources').items()) {
        const source = stagedTranscript.parse(item);
        const record = recordOf(source, wing, folder);
        if (record !== undefined) records.push([source.sourceKey, record]);
      }
    } catch {
      continue;
    }
    for (const [sourceKey, record] of records)
      staged.set(sourceKey, [...(staged.get(sourceKey) ?? []), record]);
  }
  return staged;
}
