import { lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Batch, Skipped, StagedSource } from '../core/contract.js';
import { MANIFEST_NAME, type Manifest } from '../core/manifest.js';
import { modeFault } from '../core/modes.js';
import { readManifest } from '../platform/manifest-file.js';
import type { Sanitiser } from '../sanitiser/index.js';
import { cleanedSource, isStampedBy, keyProblem, stampedBy } from './staged-elsewhere.js';

/** Where feeders leave manifests, below the cache root. */
const PLACES = [`mempalace-docs/*/*/${MANIFEST_NAME}`, `mempalace-{session,import}/*/${MANIFEST_NAME}`];

export interface StagedOptions {
  /** The cache root of this user. */
  cache: string;
  /** The user says that the folder was staged elsewhere, and is to be believed. */
  named: boolean;
  /** What was staged elsewhere takes documents from other projects, and messages from sessions, only then. */
  allowRemovals: boolean;
  /** For text that the sanitiser of this version has not seen; called when there is such text. */
  sanitiser: () => Promise<Sanitiser>;
}

/**
 * The batches that are staged in a folder or below it, as their feeders left them; empty when there are none.
 * Files that are not there any more are skipped.
 *
 * A manifest says which sources are replaced and which are gone, so it is believed in two places only: where this
 * user's feeders write it, below the cache root, and in a folder that the user named. One that came with a project
 * is a file like any other. What was staged elsewhere is checked: each file has the hash that the manifest says,
 * each key is one that a feeder gives, and all text passes the sanitiser again while it is filed. No manifest
 * is believed about what gave a source its priority: only a run of the feeder itself knows what the user approved.
 */
export async function stagedBatches(folder: string, options: StagedOptions): Promise<Batch[]> {
  const here = realpathSync(folder);
  const own = await ownManifests(here, options.cache);
  const known = new Set(own);
  const others = options.named ? (await manifestsBelow(here)).filter((path) => !known.has(path)) : [];
  const batches: Batch[] = [];
  for (const path of own) {
    const batch = ownBatch(dirname(path), await options.sanitiser());
    if (batch !== undefined) batches.push(batch);
  }
  for (const path of others) {
    const batch = await batchFromElsewhere(dirname(path), await options.sanitiser(), options.allowRemovals);
    if (batch !== undefined) batches.push(batch);
  }
  return batches;
}

/** Whether a manifest lies in a folder, or up to three folders below it, that is not one of this user's cache. */
export async function containsManifest(folder: string): Promise<boolean> {
  return (await manifestsBelow(folder, 4)).length > 0;
}

/** Manifests at or below a folder of the cache, in order, each in folders that nobody but this user can open. */
async function ownManifests(here: string, cache: string): Promise<string[]> {
  const root = realpathOf(cache);
  if (root === undefined || (here !== root && !here.startsWith(root + sep))) return [];
  const { default: glob } = await import('fast-glob');
  const found = await glob(PLACES, {
    cwd: root,
    dot: true,
    absolute: true,
    followSymbolicLinks: false,
    suppressErrors: true,
  });
  return found.filter((path) => path.startsWith(here + sep) && isPrivateBelow(root, path)).sort();
}

/** No manifest inside the folder of another: that would be a staged file. */
async function manifestsBelow(folder: string, deep?: number): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const found = await glob(`**/${MANIFEST_NAME}`, {
    cwd: folder,
    dot: true,
    absolute: true,
    followSymbolicLinks: false,
    suppressErrors: true,
    ...(deep === undefined ? {} : { deep }),
  });
  const folders = new Set(found.map((path) => dirname(path)));
  const isInner = (path: string): boolean => folders.has(path) || (path !== folder && isInner(dirname(path)));
  return found.filter((path) => dirname(path) === folder || !isInner(dirname(dirname(path)))).sort();
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

/** What the user says was staged elsewhere: on another machine, in a container, under another HOME. */
async function batchFromElsewhere(
  folder: string,
  sanitiser: Sanitiser,
  allowRemovals: boolean,
): Promise<Batch | undefined> {
  const open = [folder, join(folder, MANIFEST_NAME)].find(
    (path) => modeFault(lstatSync(path)) === 'others-may-write',
  );
  if (open !== undefined) {
    const detail = 'others may write it: chmod -R go-w makes it yours alone';
    return { sources: [], skipped: [{ origin: open, reason: 'not trusted', detail, problem: true }] };
  }
  const read = readStaged(folder);
  if (read === undefined) return undefined;
  const { manifest, present, missing } = read;
  const sources: StagedSource[] = [];
  for (const source of present) {
    const problem = await keyProblem(source, relative(folder, source.path), manifest.project);
    if (problem === undefined) sources.push(await cleanedSource(source, sanitiser));
    else
      missing.push({ origin: source.path, reason: 'not as a feeder stages', detail: problem, problem: true });
  }
  // What its feeder passed over is that machine's report; its words have not passed this sanitiser.
  const batch = batchOf(manifest, sources, missing);
  const { project, complete } = batch;
  const ownComplete = project !== undefined && complete?.project === project.id;
  return {
    ...batch,
    complete: ownComplete ? complete : undefined,
    ...(allowRemovals ? {} : { guarded: true }),
  };
}

/** A batch with files missing cannot say what is gone at the origin, nor what others hold. */
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
      // A feeder stages no links, and one may lead out of the folder.
      const plain = stat?.isFile() === true && realpathSync(path) === join(root, source.path);
      if (plain && stat.size === source.bytes) return [{ ...source, path }];
      const reason = stat === undefined ? 'staged file is gone' : 'staged file was changed';
      missing.push({ origin: source.origin, reason, detail: path, problem: true });
      return [];
    },
  );
  return { manifest, present, missing };
}

function realpathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
