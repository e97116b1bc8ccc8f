import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isErrno, messageOf, UserError } from '../core/errors.js';
import { resolveFolders } from '../platform/folders.js';
import { inPackage } from '../platform/in-package.js';
import type { LocalModel, ModelFile } from './model.js';

/** The folder of pulled models: `$MEMPALACE_MODELS`, else `mempalace/models` below the XDG data folder. */
export function modelsFolder(env: NodeJS.ProcessEnv): string {
  const own = env.MEMPALACE_MODELS;
  if (own !== undefined && own !== '') return isAbsolute(own) ? own : resolve(own);
  return join(resolveFolders(env).data, 'mempalace', 'models');
}

/**
 * The folder of a model, absolute: `models/<id>` of this package, or `<id>@<revision>` among the pulled ones.
 *
 * @param env says where pulled models lie; only the embedded ones do without
 */
export function modelFolder(model: LocalModel, env?: NodeJS.ProcessEnv): string {
  if (model.repository === null) return inPackage(`models/${model.id}`);
  if (env === undefined) throw new Error(`${model.id} is looked for in an environment, and none was given`);
  return join(modelsFolder(env), `${model.id}@${model.revision}`);
}

/** The cure for a model file that is missing or damaged. */
export function modelHint(model: LocalModel): string {
  return model.repository === null
    ? `install mempalace-toolkit again, or restore models/${model.id} from the repository`
    : `mempalace model pull ${model.id}`;
}

/**
 * Checks that the files are there, and have the size they had when they were pulled: cheap, at every start.
 *
 * @throws UserError `not-found` when the model was not pulled, or naming a file that is missing; `failed` for
 *   one of another size; `unreadable`
 */
export async function requireModelFiles(model: LocalModel, folder: string): Promise<void> {
  for (const file of await expectedFiles(model, folder)) {
    const path = join(folder, file.name);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) {
      throw new UserError('not-found', `model file missing: ${path}`, { hint: modelHint(model) });
    }
    if (size !== file.bytes) throw damaged(model, path, `${size} bytes, not ${file.bytes}`);
  }
}

/**
 * Checks size and SHA-256 of every file of a model; reads them whole, so not on every start.
 *
 * @param onFile called when a file has been found intact
 * @throws UserError `not-found` for a missing file, `unreadable` for one that cannot be read, `failed` for
 *   one with other content than the registry promises, or than the first pull found
 */
export async function verifyModel(
  model: LocalModel,
  folder: string,
  onFile: (file: ModelFile) => void = () => {},
): Promise<void> {
  for (const file of await expectedFiles(model, folder)) {
    const path = join(folder, file.name);
    const found = await hashFile(path).catch((error: unknown) => {
      const missing = isErrno(error, 'ENOENT');
      throw new UserError(
        missing ? 'not-found' : 'unreadable',
        missing ? `model file missing: ${path}` : `model file cannot be read: ${path}: ${messageOf(error)}`,
        { hint: modelHint(model), cause: error },
      );
    });
    if (found !== file.sha256) throw damaged(model, path, 'sha256 differs');
    onFile(file);
  }
}

/** SHA-256 of a file of any size, as 64 hexadecimal digits. */
export async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Sizes and hashes as the registry knows them, else as the first pull recorded them. */
async function expectedFiles(model: LocalModel, folder: string): Promise<readonly ModelFile[]> {
  if (model.repository === null) return model.files;
  const { readPullRecord } = await import('./record.js');
  const record = await readPullRecord(folder);
  if (record === undefined || record.id !== model.id || record.revision !== model.revision) {
    throw new UserError('not-found', `the model ${model.id} is not pulled (no ${folder})`, {
      hint: `${modelHint(model)}; without network: add --from <folder with its files>`,
    });
  }
  return model.files.map(({ name }) => ({ name, ...(record.files[name] ?? { bytes: 0, sha256: '' }) }));
}

function damaged(model: LocalModel, path: string, how: string): UserError {
  return new UserError('failed', `model file is damaged (${how}): ${path}`, { hint: modelHint(model) });
}
