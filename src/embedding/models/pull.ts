import { copyFileSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { messageOf, UserError } from '../../core/errors.js';
import { makeFolder } from '../../platform/make-folder.js';
import { hashFile } from '../files.js';
import {
  LOCAL_MODELS,
  type LocalModel,
  loadEmbedder,
  modelFolder,
  modelsFolder,
  verifyModel,
} from '../index.js';
import { type PullRecord, RECORD_FILE, readPullRecord } from '../record.js';

export interface KnownModel {
  model: LocalModel;
  folder: string;
  /** True for the embedded model, and for pulled ones. */
  here: boolean;
  /** Bytes of all files; approximate for a model that is not here. */
  bytes: number;
}

/** Every model of the registry. One with an unreadable record is not here. */
export async function knownModels(env: NodeJS.ProcessEnv): Promise<KnownModel[]> {
  return Promise.all(
    LOCAL_MODELS.map(async (model) => {
      const folder = modelFolder(model, env);
      const embedded = model.repository === null;
      const record = embedded ? undefined : await readPullRecord(folder).catch(() => undefined);
      const bytes = sizeOf(record === undefined ? model.files : Object.values(record.files));
      return { model, folder, here: embedded || record !== undefined, bytes };
    }),
  );
}

export interface PullOptions {
  /** Folder of models, address of the hub, token, proxies. */
  env: NodeJS.ProcessEnv;
  /** A folder to copy from instead: with the paths of the repository, flat, or a cache of the hub. */
  from?: string | undefined;
  signal?: AbortSignal | undefined;
  /** First pause after a failure that may pass, in milliseconds. */
  pauseMs?: number | undefined;
  /** @param bytes of the file that are on the disk */
  onProgress?: (file: string, bytes: number) => void;
}

export interface PullResult {
  folder: string;
  /** Files downloaded or copied by this call; none when the model was present and intact. */
  fetched: string[];
  /** Of all files together. */
  bytes: number;
}

const LOCK_WAIT_MS = 2_000;
type Files = PullRecord['files'];

/**
 * Downloads or copies the files of a model. The first pull records sizes and hashes in the folder; later pulls replace
 * files that differ from the record, and accept only the same content. A model that cannot be loaded is not recorded.
 *
 * @throws UserError with the file and the cure: no network, a missing file, no permission, a full disk, changed content
 */
export async function pullModel(model: LocalModel, options: PullOptions): Promise<PullResult> {
  const folder = modelFolder(model, options.env);
  if (model.repository === null) {
    return { folder, fetched: [], bytes: sizeOf(await verifyModel(model, folder)) };
  }
  const { takeLock } = await import('../../platform/lock.js');
  const lockFile = join(modelsFolder(options.env), 'pull.lock');
  const lock = await takeLock(lockFile, `mempalace model pull ${model.id}`, LOCK_WAIT_MS, options.signal);
  try {
    return await pull(model, folder, options);
  } finally {
    lock.release();
  }
}

async function pull(model: LocalModel, folder: string, options: PullOptions): Promise<PullResult> {
  const known = await readPullRecord(folder);
  // A first pull is made in another folder, which is renamed when it is complete. Files that the user put there are kept.
  const staged = known === undefined && !existsSync(folder);
  const work = staged ? `${folder}.pulling` : folder;
  makeFolder(work);
  const { files, fetched } = await collect(model, work, known, options);
  if (known === undefined) {
    const { env, from } = options;
    const { HUGGING_FACE } = await import('./hub.js');
    const record: PullRecord = {
      id: model.id,
      revision: model.revision,
      pulled: new Date().toISOString(),
      from: from === undefined ? env.HF_ENDPOINT || HUGGING_FACE : resolve(from),
      files,
    };
    const path = join(work, RECORD_FILE);
    writeFileSync(`${path}.part`, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
    renameSync(`${path}.part`, path);
    await proveModel(model, work).catch((error: unknown) => {
      rmSync(staged ? work : path, { recursive: true });
      throw new UserError('failed', `the files are not a working ${model.id}: ${messageOf(error)}`, {
        hint: staged
          ? 'they were removed; check HF_ENDPOINT or the folder, and pull again'
          : `they do not belong together: remove ${work} and pull again`,
        cause: error,
      });
    });
    if (staged) renameSync(work, folder);
  }
  return { folder, fetched, bytes: sizeOf(Object.values(files)) };
}

/** Completes the files of the model in `work`. Correct files are not touched. */
async function collect(
  model: LocalModel,
  work: string,
  known: PullRecord | undefined,
  { env, from, signal, pauseMs, onProgress = () => {} }: PullOptions,
): Promise<{ files: Files; fetched: string[] }> {
  const files: Files = {};
  const fetched: string[] = [];
  let hub: import('./hub.js').Hub | undefined;
  try {
    for (const { name } of model.files) {
      signal?.throwIfAborted();
      const target = join(work, name);
      const sha256 = known?.files[name]?.sha256;
      const present = existsSync(target) ? await described(target) : undefined;
      const right = sha256 === undefined ? from === undefined : present?.sha256 === sha256;
      if (present !== undefined && right) {
        files[name] = present;
        continue;
      }
      if (from === undefined) {
        const [{ Hub }, { download }] = await Promise.all([import('./hub.js'), import('./download.js')]);
        hub ??= new Hub(model, env);
        const progress = (bytes: number): void => onProgress(name, bytes);
        files[name] = await download({ hub, name, target, sha256, signal, pauseMs, onProgress: progress });
      } else {
        files[name] = await copied(model, name, resolve(from), target, sha256);
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
  target: string,
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
  const part = `${target}.part`;
  makeFolder(dirname(target));
  copyFileSync(source, part);
  const found = await described(part);
  if (sha256 !== undefined && found.sha256 !== sha256) {
    rmSync(part);
    const message = `${source} is not what the first pull of ${model.id} found (sha256 differs)`;
    const hint = `to trust it, remove ${dirname(target)} and pull again`;
    throw new UserError('failed', message, { hint });
  }
  renameSync(part, target);
  return found;
}

/** Loads the model from a folder and embeds one sentence. Throws the errors of loading. */
async function proveModel(model: LocalModel, folder: string): Promise<void> {
  const embedder = await loadEmbedder({ modelId: model.id, folder });
  try {
    await embedder.embed(['The palace remembers where the passage was filed.']);
  } finally {
    await embedder.close();
  }
}

async function described(path: string): Promise<Files[string]> {
  return { bytes: statSync(path).size, sha256: await hashFile(path) };
}

const sizeOf = (files: readonly { bytes: number }[]): number =>
  files.reduce((sum, { bytes }) => sum + bytes, 0);
