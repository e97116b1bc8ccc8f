import { open } from 'node:fs/promises';
import type { Skipped } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import { decodeText } from '../../platform/decode.js';
import { isOpenedFrom } from '../../platform/opened-path.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { BINARY } from './content.js';
import { withoutInlineData } from './inline-data.js';
import { OPEN_REGULAR, ReplacedFolder, skipForError } from './open-file.js';
import type { FoundDocument } from './survey.js';

/** The file was found, but cannot be read or is not a document. `skipped` is its record. */
export class UnreadDocument extends Error {
  readonly skipped: Skipped;

  constructor(skipped: Skipped, cause?: unknown) {
    super(`${skipped.origin}: ${skipped.reason}`, { cause });
    this.name = 'UnreadDocument';
    this.skipped = skipped;
  }
}

/**
 * @returns the decoded and sanitised content, with its size in bytes and its SHA-256 in hexadecimal
 * @throws UnreadDocument when the document vanished, became a link, was moved, cannot be read, or contains zero bytes
 *   after its head
 */
export async function readDocument(
  document: FoundDocument,
  sanitiser: Sanitiser,
): Promise<{ content: string; redacted: Record<string, number>; hash: string; bytes: number }> {
  const { absolutePath, origin } = document;
  const bytes = await readBytes(absolutePath, origin, document.root);
  const { text } = decodeText(bytes);
  if (text.includes('\0')) throw new UnreadDocument({ origin, reason: BINARY });
  const { text: content, redacted } = await sanitiser.clean(withoutInlineData(text));
  return { content, redacted, hash: sha256(content), bytes: Buffer.byteLength(content) };
}

async function readBytes(path: string, origin: string, root: string): Promise<Uint8Array> {
  try {
    const first = await readOnce(path, origin, root);
    // It is being written. A second read is nearly always complete, and the next run sees a newer time.
    return first.isSteady ? first.bytes : (await readOnce(path, origin, root)).bytes;
  } catch (error) {
    if (error instanceof UnreadDocument) throw error;
    throw new UnreadDocument(skipForError(origin, error), error);
  }
}

async function readOnce(path: string, origin: string, root: string) {
  const file = await open(path, OPEN_REGULAR);
  try {
    if (!isOpenedFrom(file.fd, path, root)) throw new ReplacedFolder(origin);
    const before = await file.stat();
    if (!before.isFile()) throw new UnreadDocument({ origin, reason: 'not a regular file' });
    const bytes = await file.readFile();
    const after = await file.stat();
    return { bytes, isSteady: bytes.length === after.size && before.mtimeMs === after.mtimeMs };
  } finally {
    await file.close();
  }
}
