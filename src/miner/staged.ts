import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import {
  type Batch,
  MANIFEST_NAME,
  type Manifest,
  type Skipped,
  type StagedSource,
} from '../core/contract.js';
import { modeFault } from '../core/modes.js';
import { readManifest } from '../platform/manifest-file.js';
import { resolveLinks } from '../platform/resolve-links.js';
import type { Sanitiser } from '../sanitiser/index.js';
import { cleanedSource, hashProblem, isStampedBy, keyProblem, stampedBy } from './staged-elsewhere.js';

/** Where feeders write manifests, below the cache root. */
const PLACES = [`mempalace-docs/*/*/${MANIFEST_NAME}`, `mempalace-{session,import}/*/${MANIFEST_NAME}`];

export interface StagedOptions {
  cache: string;
  /** The user named the folder as staged elsewhere, and trusts it. */
  named: boolean;
  /** Lets folders staged elsewhere remove documents of other projects and messages of sessions. */
  allowRemovals: boolean;
  /** For text that the current version has not sanitised; called on demand. */
  sanitiser: () => Promise<Sanitiser>;
}

/**
 * The batches staged in or below a folder; missing files are skipped.
 *
 * A manifest decides which sources are replaced and which are gone. So it is trusted in two places only: below the cache
 * root, where this user's feeders write, and in a folder that the user named. A manifest in a project is an ordinary
 * file. Batches staged elsewhere are checked: file hashes must match the manifest, keys must have a feeder's form, and
 * all text is sanitised again. The origin of a priority is never taken from a manifest: only a feeder's run knows what
 * the user approved.
 */
export async function stagedBatches(folder: string, options: StagedOptions): Promise<Batch[]> {
  const here = realpathSync(folder);
  const own = new Set(await ownManifests(here, options.cache));
  const others = options.named ? (await manifestsBelow(here)).filter((path) => !own.has(path)) : [];
  const batches: (Batch | undefined)[] = [];
  for (const path of own) batches.push(ownBatch(dirname(path), await options.sanitiser()));
  for (const path of others)
    batches.push(await batchFromElsewhere(dirname(path), await options.sanitiser(), options.allowRemovals));
  return batches.filter((batch) => batch !== undefined);
}

export async function containsManifest(folder: string): Promise<boolean> {
  return (await manifestsBelow(folder, 4)).length > 0;
}

/** Sorted manifests in or below a folder of the cache, in folders that only this user can open. */
async function ownManifests(here: string, cache: string): Promise<string[]> {
  const root = resolveLinks(cache);
  if (root === undefined || (here !== root && !here.startsWith(root + sep))) return [];
  const found = await manifestsIn(root, PLACES);
  return found.filter((path) => path.startsWith(here + sep) && isPrivateBelow(root, path));
}

/** A manifest inside the folder of another is a staged file, and is excluded. */
async function manifestsBelow(folder: string, deep?: number): Promise<string[]> {
  const found = await manifestsIn(folder, [`**/${MANIFEST_NAME}`], deep);
  const folders = new Set(found.map((path) => dirname(path)));
  const isInner = (path: string): boolean => folders.has(path) || (path !== folder && isInner(dirname(path)));
  return found.filter((path) => dirname(path) === folder || !isInner(dirname(dirname(path))));
}

async function manifestsIn(
  folder: string,
  patterns: string[],
  deep = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const flags = { dot: true, absolute: true, followSymbolicLinks: false, suppressErrors: true };
  return (await glob(patterns, { cwd: folder, deep, ...flags })).sort();
}

function isPrivateBelow(root: string, path: string): boolean {
  for (let each = path; each !== root; each = dirname(each)) {
    if (modeFault(lstatSync(each)) !== undefined) return false;
  }
  return true;
}

function ownBatch(folder: string, sanitiser: Sanitiser): Batch | undefined {
  const read = readStaged(folder);
  if (read === undefined) return undefined;
  const { manifest, present, missing } = read;
  const sources = present.map((source) =>
    isStampedBy(source, sanitiser) ? { ...source, sanitised: true } : stampedBy(source, sanitiser),
  );
  return batchOf(manifest, sources, [...manifest.skipped, ...missing]);
}

async function batchFromElsewhere(
  folder: string,
  sanitiser: Sanitiser,
  allowRemovals: boolean,
): Promise<Batch | undefined> {
  const open = [folder, join(folder, MANIFEST_NAME)].find(
    (path) => modeFault(lstatSync(path)) === 'others-may-write',
  );
  if (open !== undefined) {
    const detail = 'other users may write it: run chmod -R go-w on it';
    return { sources: [], skipped: [{ origin: open, reason: 'not trusted', detail, problem: true }] };
  }
  const read = readStaged(folder);
  if (read === undefined) return undefined;
  const { manifest, present, missing } = read;
  const sources: StagedSource[] = [];
  for (const source of present) {
    const name = relative(folder, source.path);
    const problem = keyProblem(source, name, manifest.project) ?? (await hashProblem(source));
    if (problem === undefined) sources.push(await cleanedSource(source, sanitiser));
    else
      missing.push({ origin: source.path, reason: 'not as a feeder stages', detail: problem, problem: true });
  }
  // The manifest's own skipped entries are left out: they belong to the other machine and are not sanitised.
  const batch = batchOf(manifest, sources, missing);
  const { project, complete } = batch;
  const ownComplete = project !== undefined && complete?.project === project.id;
  return {
    ...batch,
    complete: ownComplete ? complete : undefined,
    ...(allowRemovals ? {} : { guarded: true }),
  };
}

/** With missing files, a batch does not show which sources are gone or contained in others. */
function batchOf(manifest: Manifest, sources: StagedSource[], skipped: Skipped[]): Batch {
  const { project, complete, contained } = manifest;
  const whole = sources.length === manifest.sources.length;
  return { project, sources, skipped, ...(whole ? { complete, contained } : {}) };
}

function readStaged(
  folder: string,
): { manifest: Manifest; present: StagedSource[]; missing: Skipped[] } | undefined {
  const manifest = readManifest(folder);
  if (manifest === undefined) return undefined;
  const missing: Skipped[] = [];
  const root = realpathSync(folder);
  const present = manifest.sources.flatMap(
    ({ fingerprint: _fingerprint, priorityFrom: _priorityFrom, ...source }) => {
      const path = join(folder, source.path);
      const stat = statSync(path, { throwIfNoEntry: false });
      // Feeders do not stage links, and a link may lead out of the folder.
      const plain = stat?.isFile() === true && realpathSync(path) === join(root, source.path);
      if (plain && stat.size === source.bytes) return [{ ...source, path }];
      const reason = stat === undefined ? 'staged file is gone' : 'staged file was changed';
      missing.push({ origin: source.origin, reason, detail: path, problem: true });
      return [];
    },
  );
  return { manifest, present, missing };
}
