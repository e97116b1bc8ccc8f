import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isErrno, messageOf, UserError } from '../../common/errors.js';
import { sha256 } from '../../common/hash.js';
import type { EmbeddingModel } from './registry.js';

/** The folder of a model, absolute: `models/<id>` of this package, from `src/` as from `dist/`. */
export function modelFolder(model: EmbeddingModel): string {
  return fileURLToPath(new URL(`../../../models/${model.id}`, import.meta.url));
}

/** The cure for a model file that is missing or damaged. */
export function modelHint(model: EmbeddingModel): string {
  return `install mempalace-toolkit again, or restore models/${model.id} from the repository`;
}

/** @throws UserError `not-found` naming the first file of the model that is not in the folder */
export function requireModelFiles(model: EmbeddingModel, folder: string): void {
  for (const { name } of model.files) {
    const path = join(folder, name);
    if (!existsSync(path))
      throw new UserError('not-found', `model file missing: ${path}`, { hint: modelHint(model) });
  }
}

/**
 * Checks size and SHA-256 of every file of a model; reads them whole, so not on every start.
 *
 * @throws UserError `not-found` for a missing file, `unreadable` for one that cannot be read, `failed` for
 *   one with other content than the registry promises
 */
export async function verifyModel(model: EmbeddingModel, folder: string = modelFolder(model)): Promise<void> {
  for (const file of model.files) {
    const path = join(folder, file.name);
    const bytes = await readFile(path).catch((error: unknown) => {
      const missing = isErrno(error, 'ENOENT');
      throw new UserError(
        missing ? 'not-found' : 'unreadable',
        missing ? `model file missing: ${path}` : `model file cannot be read: ${path}: ${messageOf(error)}`,
        { hint: modelHint(model), cause: error },
      );
    });
    if (bytes.length !== file.bytes || sha256(bytes) !== file.sha256) {
      throw new UserError('failed', `model file is damaged (sha256 differs): ${path}`, {
        hint: modelHint(model),
      });
    }
  }
}
