import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { declaredTypeOf } from '../../core/source-type.js';
import { moveIntoPlace, temporaryNextTo } from '../../platform/atomic-write.js';
import { decodeText } from '../../platform/decode.js';
import { HEAD_BYTES } from './content.js';
import { readInProject } from './open-file.js';
import type { FoundDocument } from './survey.js';
import { WATCHDOG_NAME, type WatchdogManifest } from './watchdog-manifest.js';

/**
 * The text of a manifest with a line for each document that it does not contain. Its own lines stay as they are, also
 * wrong ones and those of documents that do not exist.
 */
export function withMissingLines(
  { text, watched }: Pick<WatchdogManifest, 'text' | 'watched'>,
  documents: readonly FoundDocument[],
): { text: string; added: string[] } {
  const missing = documents.filter(({ relativePath }) => !watched.has(relativePath));
  const lines = missing.map((document) => {
    const { relativePath: path, priority } = document;
    // Keys without a value are not written: the reader takes them from front matter and mempalace.yaml.
    return `${JSON.stringify({ path, type: typeOf(document), priority: priority?.priority })}\n`;
  });
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return { text: text + end + lines.join(''), added: missing.map(({ relativePath }) => relativePath) };
}

/**
 * Replaces the manifest of a project as a whole.
 *
 * @param root absolute, real
 * @throws UserError `failed` when it is not a regular file
 */
export function writeWatchdogManifest(root: string, text: string): void {
  const file = join(root, WATCHDOG_NAME);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === false) throw new UserError('failed', `${file} is not a regular file`);
  const temporary = temporaryNextTo(join(root, `.${WATCHDOG_NAME}`));
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: stat?.mode ?? 0o666 });
    moveIntoPlace(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function typeOf({ root, absolutePath, relativePath }: FoundDocument): string | undefined {
  try {
    const { head } = readInProject(absolutePath, root, HEAD_BYTES);
    return declaredTypeOf(relativePath, decodeText(head).text) ?? undefined;
  } catch {
    // The file vanished after it was found; its line says its path.
    return undefined;
  }
}
