import { createReadStream, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type ErrorCode, isErrno, messageOf, UserError } from '../core/errors.js';
import { inPackage } from '../platform/in-package.js';
import type { LocalModel, ModelFile } from './model.js';
import { modelsFolder } from './models-folder.js';

/** Where the package contains a model that it ships, relative to the package. */
export function shippedFolder({ shipped, id }: LocalModel): string {
  return `models/${shipped ?? id}`;
}

/** The folder of a model, absolute: in this package, or `<id>@<revision>` in `modelsFolder(env)`. */
export function modelFolder(model: LocalModel, env: NodeJS.ProcessEnv = {}): string {
  if (model.repository === null) return inPackage(shippedFolder(model));
  return join(modelsFolder(env), `${model.id}@${model.revision}`);
}

/** The cure for a model file that is missing or damaged. */
export function modelHint(model: LocalModel): string {
  return model.repository === null
    ? `install mempalace-toolkit again, or restore ${shippedFolder(model)} from the repository`
    : `mempalace model pull ${model.id}`;
}

/**
 * Checks that the files exist and have the recorded sizes: cheap, at every start.
 *
 * @throws UserError `not-found` for a model that is not pulled or for a missing file; `failed` for a file of another
 *   size; `unreadable`
 */
export async function requireModelFiles(model: LocalModel, folder: string): Promise<void> {
  for (const { name, bytes } of await expectedFiles(model, folder)) {
    const path = join(folder, name);
    const size = statSync(path, { throwIfNoEntry: false })?.size;
    if (size === undefined) throw unusable('not-found', 'missing', model, path);
    if (size !== bytes) throw unusable('failed', `damaged (${size} bytes, not ${bytes})`, model, path);
  }
}

/**
 * Checks size and SHA-256 of every file of a model; reads them completely, so not at every start.
 *
 * @returns the intact files
 * @throws UserError `not-found` for a missing file, `unreadable` for one that cannot be read, `failed` for one with
 *   another hash than in the registry or the record of the first pull
 */
export async function verifyModel(model: LocalModel, folder: string): Promise<readonly ModelFile[]> {
  const files = await expectedFiles(model, folder);
  for (const file of files) {
    const path = join(folder, file.name);
    const found = await hashFile(path).catch((error: unknown) => {
      if (isErrno(error, 'ENOENT')) throw unusable('not-found', 'missing', model, path, error);
      throw unusable('unreadable', `unreadable (${messageOf(error)})`, model, path, error);
    });
    if (found !== file.sha256) throw unusable('failed', 'damaged (sha256 differs)', model, path);
  }
  return files;
}

/** The hash of a file of any size, in hexadecimal digits. `head` is hashed before the file. */
export async function hashFile(path: string, algorithm = 'sha256', head = ''): Promise<string> {
  const { createHash } = await import('node:crypto');
  const hash = createHash(algorithm).update(head);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return hash.digest('hex');
}

/** Sizes and hashes from the registry, else from the record of the first pull. */
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

function unusable(code: ErrorCode, how: string, model: LocalModel, path: string, cause?: unknown): UserError {
  return new UserError(code, `model file is ${how}: ${path}`, { hint: modelHint(model), cause });
}
