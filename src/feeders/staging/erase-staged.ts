import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readManifest, readManifestBytes } from '../../platform/manifest-file.js';
import { TRANSCRIPTS_ROOT } from './read-staged.js';
import { TEMPORARY } from './replace-file.js';
import { foldersIn, itemsIn } from './staged-files.js';
import { openStaging, type StagingOptions } from './staging.js';

export interface StagedTrace {
  sourceKey: string;
  origin: string;
  /** Its staged path below the cache root, if known. */
  sourceFile?: string | undefined;
}

export interface EraseStagedOptions extends Omit<StagingOptions, 'prefix'> {
  traces: readonly StagedTrace[];
  /** The sources stay filed. The manifests then no longer claim to be complete. */
  stillFiled?: boolean | undefined;
}

export function countStaged(cache: string, traces: readonly StagedTrace[]): number {
  const { includes } = wantedIn(traces);
  return stagingFolders(cache)
    .flatMap((prefix) => readManifest(join(cache, prefix))?.sources ?? [])
    .filter(includes).length;
}

/**
 * Removes sources from every staging folder of the cache: their files, temporary files of killed runs, and their records
 * in the manifests.
 *
 * @returns the number of removed files
 * @throws UserError `locked` when another run stages there
 */
export async function eraseStaged(options: EraseStagedOptions): Promise<number> {
  const { cache, traces, stillFiled = false } = options;
  const { keys, origins, includes } = wantedIn(traces);
  let removed = 0;
  for (const prefix of stagingFolders(cache)) {
    if (!concerns(prefix, options)) continue;
    const manifest = readManifest(join(cache, prefix));
    const staging = await openStaging({ ...options, prefix });
    try {
      for (const { sourceKey } of staging.entries().filter(includes)) {
        staging.drop(sourceKey);
        removed += 1;
      }
      staging.sweep(() => true);
      if (manifest === undefined) continue;
      const { version: _version, sources: _sources, ...rest } = manifest;
      await staging.save({
        ...rest,
        ...(stillFiled ? { complete: undefined } : {}),
        skipped: rest.skipped.filter(({ origin }) => !origins.has(origin)),
        contained: rest.contained?.filter(({ sourceKey }) => !keys.has(sourceKey)),
      });
    } finally {
      staging.close();
    }
  }
  return removed;
}

/** Looked up by origin too: a folder that became a separate project is also staged under another key. */
function wantedIn(traces: readonly StagedTrace[]) {
  const keys = new Set(traces.map(({ sourceKey }) => sourceKey));
  const origins = new Set(traces.map(({ origin }) => origin));
  const includes = ({ sourceKey, origin }: StagedTrace) => keys.has(sourceKey) || origins.has(origin);
  return { keys, origins, includes };
}

/** Whether the folder contains a record, a mention, or an unrecorded file of the sources. */
function concerns(prefix: string, { cache, traces }: EraseStagedOptions): boolean {
  const folder = join(cache, prefix);
  const bytes = readManifestBytes(folder);
  const isMentioned = (name: string) => bytes?.includes(JSON.stringify(name)) === true;
  const isThere = traces.some(
    ({ sourceKey, origin, sourceFile = '' }) =>
      isMentioned(sourceKey) ||
      isMentioned(origin) ||
      (sourceFile.startsWith(`${prefix}/`) && existsSync(join(cache, sourceFile))),
  );
  return isThere || itemsIn(folder).some(({ name }) => name.startsWith(TEMPORARY));
}

/** Paths below the cache root of the folders in which feeders stage: those with a manifest, and wings of transcripts. */
function stagingFolders(cache: string): string[] {
  const inside = (prefixes: string[]) =>
    prefixes.flatMap((prefix) => foldersIn(join(cache, prefix)).map((name) => `${prefix}/${name}`));
  const roots = foldersIn(cache).filter((name) => name.startsWith('mempalace-'));
  const wings = inside(roots);
  return [...roots, ...wings, ...inside(wings)].filter(
    (prefix) =>
      readManifestBytes(join(cache, prefix)) !== undefined ||
      (prefix.startsWith(`${TRANSCRIPTS_ROOT}/`) && wings.includes(prefix)),
  );
}
