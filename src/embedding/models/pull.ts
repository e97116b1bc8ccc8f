import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../../core/errors.js';
import { makeFolder } from '../../platform/make-folder.js';
import { hashFile } from '../files.js';
import { type LocalModel, loadEmbedder, modelFolder, modelsFolder, verifyModel } from '../index.js';
import { type PullRecord, RECORD_FILE, readPullRecord } from '../record.js';

export interface PullProgress {
  file: string;
  bytes: number;
  /** Undefined while nobody says how large the file is. */
  total: number | undefined;
}

export interface PullOptions {
  /** Where models lie, where the hub is, tokens, proxies. */
  env: NodeJS.ProcessEnv;
  /** Copies from this folder instead of the network: laid out as in the repository, flat, or a hub cache. */
  from?: string | undefined;
  signal?: AbortSignal | undefined;
  /** First pause after a failure that may pass, in milliseconds. */
  pauseMs?: number | undefined;
  onProgress?: ((progress: PullProgress) => void) | undefined;
}

export interface PullResult {
  folder: string;
  /** Files fetched or copied by this call; none when the model was there and intact. */
  fetched: string[];
  /** Of all files together. */
  bytes: number;
}

const LOCK_WAIT_MS = 2_000;

/**
 * Brings the files of a model here. What a first pull found (size, SHA-256) is recorded beside the files; later
 * pulls repair what differs from it, and take nothing else. A model that does not load is never recorded.
 *
 * @throws UserError naming the file and the cure: no network, no such file, no right, no room, changed content
 */
export async function pullModel(model: LocalModel, options: PullOptions): Promise<PullResult> {
  const target = modelFolder(model, options.env);
  if (model.repository === null) {
    await verifyModel(model, target);
    return { folder: target, fetched: [], bytes: sizeOf(model.files) };
  }
  const { takeLock } = await import('../../platform/lock.js');
  const lockFile = join(modelsFolder(options.env), 'pull.lock');
  const lock = await takeLock(lockFile, `mempalace model pull ${model.id}`, LOCK_WAIT_MS, options.signal);
  try {
    return await pull(model, target, options);
  } finally {
    lock.release();
  }
}

async function pull(model: LocalModel, target: string, options: PullOptions): Promise<PullResult> {
  const known = await readPullRecord(target);
  // A first pull grows beside its place, and takes it when it is whole. What somebody laid there is kept.
  const staged = known === undefined && !existsSync(target);
  const work = staged ? `${target}.pulling` : target;
  makeFolder(work);
  const { files, fetched } = await collect(model, work, known, options);
  if (known === undefined) {
    const record: PullRecord = {
      id: model.id,
      revision: model.revision,
      pulled: new Date().toISOString(),
      from:
        options.from === undefined
          ? options.env.HF_ENDPOINT || 'https://huggingface.co'
          : resolve(options.from),
      files,
    };
    const path = join(work, RECORD_FILE);
    writeFileSync(`${path}.part`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
    await proveModel(model, work).catch((error: unknown) => {
      rmSync(staged ? work : path, { recursive: true });
      throw new UserError('failed', `what was pulled is not a working ${model.id}: ${messageOf(error)}`, {
        hint: staged
          ? 'its files were removed; check HF_ENDPOINT or the folder, and pull again'
          : `its files do not belong together: remove ${work} and pull again`,
        cause: error,
      });
    });
    if (staged) renameSync(work, target);
  }
  return { folder: target, fetched, bytes: sizeOf(Object.values(files)) };
}

type Files = PullRecord['files'];

/** Has every file of the model in `work`, those that are there and right left as they are. */
async function collect(
  model: LocalModel,
  work: string,
  known: PullRecord | undefined,
  { env, from, signal, pauseMs, onProgress }: PullOptions,
): Promise<{ files: Files; fetched: string[] }> {
  const files: Files = {};
  const fetched: string[] = [];
  let hub: import('./hub.js').Hub | undefined;
  try {
    for (const { name } of model.files) {
      signal?.throwIfAborted();
      const path = join(work, name);
      const wanted = known?.files[name];
      const there = existsSync(path) ? await described(path) : undefined;
      const right = wanted === undefined ? from === undefined : there?.sha256 === wanted.sha256;
      if (there !== undefined && right) {
        files[name] = there;
        continue;
      }
      if (from === undefined) {
        const [{ Hub }, { download }] = await Promise.all([import('./hub.js'), import('./download.js')]);
        hub ??= await Hub.open(model, env);
        const progress = (bytes: number, total: number | undefined) =>
          onProgress?.({ file: name, bytes, total });
        const sha256 = wanted?.sha256;
        files[name] = await download({
          hub,
          name,
          target: path,
          sha256,
          signal,
          pauseMs,
          onProgress: progress,
        });
      } else {
        files[name] = await copied(model, name, resolve(from), path, wanted?.sha256);
      }
      fetched.push(name);
    }
    return { files, fetched };
  } finally {
    await hub?.close();
  }
}

async function copied(
  model: LocalModel,
  name: string,
  from: string,
  path: string,
  sha256: string | undefined,
) {
  const cache = `models--${model.repository?.replace('/', '--')}/snapshots/${model.revision}`;
  const places = [join(from, name), join(from, basename(name)), join(from, cache, name)];
  const source = places.find((place) => existsSync(place));
  if (source === undefined) {
    throw new UserError('not-found', `${name} of ${model.id} is not in ${from}`, {
      hint: `it needs ${model.files.map((file) => file.name).join(', ')} from ${model.repository} at ${model.revision}`,
    });
  }
  const part = `${path}.part`;
  makeFolder(dirname(path));
  copyFileSync(source, part);
  const found = await described(part);
  if (sha256 !== undefined && found.sha256 !== sha256) {
    rmSync(part);
    throw new UserError(
      'failed',
      `${source} is not what the first pull of ${model.id} found (sha256 differs)`,
      {
        hint: `to trust it again, remove ${dirname(path)} and pull again`,
      },
    );
  }
  renameSync(part, path);
  return found;
}

/** Loads the model from a folder and embeds one sentence. Throws what the loading throws. */
async function proveModel(model: LocalModel, folder: string): Promise<void> {
  const embedder = await loadEmbedder({ modelId: model.id, folder });
  try {
    await embedder.embed(['The palace remembers where the passage was filed.']);
  } finally {
    await embedder.close();
  }
}

async function described(path: string): Promise<{ bytes: number; sha256: string }> {
  return { bytes: statSync(path).size, sha256: await hashFile(path) };
}

const sizeOf = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);
