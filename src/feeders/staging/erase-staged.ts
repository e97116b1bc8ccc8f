import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Batch, Manifest } from '../../core/contract.js';
import { readManifest, readManifestBytes } from '../../platform/manifest-file.js';
import { foldersIn, itemsIn } from './staged-files.js';
import { openStaging, type StagingOptions } from './staging.js';

/** A source to remove from the cache. */
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

/** Feeders stage below folders of this name, with manifests at most this deep. */
const ROOT_PREFIX = 'mempalace-';
const DEPTH = 2;

/** Counts the staged files of these sources. */
export function countStaged(cache: string, traces: readonly StagedTrace[]): number {
  const keys = new Set(traces.map(({ sourceKey }) => sourceKey));
  const origins = new Set(traces.map(({ origin }) => origin));
  return stagingFolders(cache)
    .flatMap(({ folder }) => readManifest(folder)?.sources ?? [])
    .filter(({ sourceKey, origin }) => keys.has(sourceKey) || origins.has(origin)).length;
}

/**
 * Removes sources from every staging folder of the cache: their files, temporary files of killed runs, and their records
 * in the manifests.
 *
 * @returns the number of removed files
 * @throws UserError `locked` when another run stages there
 */
export async function eraseStaged(options: EraseStagedOptions): Promise<number> {
  const { cache, traces } = options;
  const keys = new Set(traces.map(({ sourceKey }) => sourceKey));
  const origins = new Set(traces.map(({ origin }) => origin));
  let removed = 0;
  for (const { folder, prefix } of stagingFolders(cache)) {
    if (!concerns(folder, prefix, options)) continue;
    const manifest = readManifest(folder);
    const staging = await openStaging({ ...options, prefix });
    try {
      for (const { sourceKey, origin } of staging.entries()) {
        // A folder that became a separate project is also staged under another key.
        if (!keys.has(sourceKey) && !origins.has(origin)) continue;
        staging.drop(sourceKey);
        removed += 1;
      }
      staging.sweep(() => true);
      if (manifest !== undefined)
        await staging.save(withoutTraces(manifest, keys, origins, options.stillFiled));
    } finally {
      staging.close();
    }
  }
  return removed;
}

/** Whether the folder contains a record, a mention, or an unrecorded file of the sources. */
function concerns(folder: string, prefix: string, { cache, traces }: EraseStagedOptions): boolean {
  const bytes = readManifestBytes(folder);
  const mentioned = traces.some(({ sourceKey, origin }) =>
    [sourceKey, origin].some((name) => bytes?.includes(JSON.stringify(name)) === true),
  );
  const exists = traces.some(
    ({ sourceFile }) => sourceFile?.startsWith(`${prefix}/`) === true && existsSync(join(cache, sourceFile)),
  );
  return mentioned || exists || itemsIn(folder).some(({ name }) => name.startsWith('.mempalace-tmp-'));
}

function withoutTraces(
  { version: _version, sources: _sources, ...rest }: Manifest,
  keys: ReadonlySet<string>,
  origins: ReadonlySet<string>,
  stillFiled = false,
): Omit<Batch, 'sources'> {
  const contained = rest.contained?.filter(({ sourceKey }) => !keys.has(sourceKey));
  return {
    ...rest,
    ...(stillFiled ? { complete: undefined } : {}),
    skipped: rest.skipped.filter(({ origin }) => !origins.has(origin)),
    ...(contained === undefined ? {} : { contained }),
  };
}

/** Folders in which feeders stage, with their path below the cache root. */
function stagingFolders(cache: string): { folder: string; prefix: string }[] {
  const found: { folder: string; prefix: string }[] = [];
  const look = (folder: string, prefix: string, depth: number): void => {
    if (readManifestBytes(folder) !== undefined || (depth === 1 && prefix.startsWith('mempalace-session/')))
      found.push({ folder, prefix });
    if (depth === DEPTH) return;
    for (const name of foldersIn(folder)) look(join(folder, name), `${prefix}/${name}`, depth + 1);
  };
  for (const name of foldersIn(cache)) if (name.startsWith(ROOT_PREFIX)) look(join(cache, name), name, 0);
  return found;
}
