import { isErrno, isSystemError, messageOf, UserError } from '../../core/errors.js';
import { type ModelIdentity, parseModel } from '../../store/index.js';
import { FORMAT, FORMAT_VERSION, headerLine } from './archive-lines.js';
import { Importer, type ImportOptions, type ImportResult, parsed } from './importer.js';
import { linesOf, type NumberedLine } from './lines.js';

/**
 * Whose vectors an export holds.
 *
 * @throws UserError `not-found`, `unreadable` for a file that is not an export, `palace-newer` for one of a later program
 */
export async function exportedModel(file: string): Promise<ModelIdentity> {
  for await (const { text } of readable(file)) {
    const header = headerLine.safeParse(parsed(text ?? '').value);
    const model = header.success ? parseModel(header.data.model) : undefined;
    if (!header.success || model === undefined) break;
    if (header.data.version > FORMAT_VERSION) {
      throw new UserError(
        'palace-newer',
        `${file} has version ${header.data.version} of the format, this program knows ${FORMAT_VERSION}`,
        { hint: 'update mempalace-toolkit' },
      );
    }
    return model;
  }
  throw new UserError('unreadable', `${file} is not an export of a palace`, {
    hint: `its first line must name the format ${FORMAT}: mempalace export --jsonl writes it`,
  });
}

/**
 * Files what an export holds, source by source, each whole or not at all. What is here already stays, unless the
 * export has it newer. What was forgotten here stays forgotten.
 *
 * @throws UserError `interrupted` when the signal aborts; what was filed stays, and another import goes on
 */
export async function importLines(options: ImportOptions): Promise<ImportResult> {
  const importer = new Importer(options);
  let header = true;
  for await (const line of readable(options.file)) {
    options.signal?.throwIfAborted();
    if (!header) await importer.take(line);
    header = false;
  }
  return importer.end();
}

async function* readable(file: string): AsyncGenerator<NumberedLine> {
  try {
    yield* linesOf(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new UserError('not-found', `there is no file ${file}`, { cause: error });
    if (isSystemError(error))
      throw new UserError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
    throw error;
  }
}
