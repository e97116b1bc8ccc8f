import { join } from 'node:path';
import type { z } from 'zod';
import { manifestSources, readManifestBytes } from '../../platform/manifest-file.js';
import { foldersIn } from './staged-files.js';

/** Folder of the staged transcripts below the cache root. It contains one manifest per wing. */
export const TRANSCRIPTS_ROOT = 'mempalace-session';

/**
 * The sources in the manifests of all wings. Only the fields of `schema` are checked; opening a folder for writing checks
 * all fields. A folder with an invalid manifest is skipped.
 */
export function* stagedTranscripts<T extends z.ZodType>(
  cache: string,
  schema: T,
): Generator<{ wing: string; folder: string; source: z.infer<T> }> {
  for (const wing of foldersIn(join(cache, TRANSCRIPTS_ROOT))) {
    const folder = join(cache, TRANSCRIPTS_ROOT, wing);
    const bytes = readManifestBytes(folder);
    let sources: z.infer<T>[] = [];
    try {
      if (bytes !== undefined) sources = Array.from(manifestSources(bytes), (source) => schema.parse(source));
    } catch {
      continue;
    }
    for (const source of sources) yield { wing, folder, source };
  }
}
