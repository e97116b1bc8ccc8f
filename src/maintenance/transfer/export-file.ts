import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import { type JsonLine, readLines } from '../../platform/jsonl.js';
import { type ModelIdentity, parseModel } from '../../store/index.js';
import { FORMAT, FORMAT_VERSION, headerLine } from './archive-lines.js';

/**
 * The model that made the vectors of an export.
 *
 * @throws UserError `not-found`, `unreadable` (not an export), `palace-newer` (written by a later program)
 */
export async function exportedModel(file: string): Promise<ModelIdentity> {
  for await (const { text } of exportedLines(file)) {
    const header = headerLine.safeParse(parseJson(text ?? ''));
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

/** @throws UserError `not-found`, `unreadable` */
export async function* exportedLines(file: string): AsyncGenerator<JsonLine> {
  try {
    yield* readLines(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new UserError('not-found', `there is no file ${file}`, { cause: error });
    throw new UserError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}
