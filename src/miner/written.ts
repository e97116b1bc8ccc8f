import type { StagedSource } from '../core/contract.js';
import { sha256 } from '../core/hash.js';
import type { Sanitiser, Scope } from '../sanitiser/index.js';

/** A text that somebody hands to the palace, as it was handed over. */
export interface WrittenText {
  /**
   * What it is, and how it is cut: `<kind>:<id>/<name>.md` is cut as Markdown. The name behind the slash is found by
   * search.
   */
  sourceKey: string;
  wing: string;
  room: string;
  text: string;
  /** What it was made from, for people and for `forget`; never a path that a feeder files, too. */
  origin: string;
  /** As people see it. */
  sourceFile: string;
  title?: string | undefined;
  /** When it was written, epoch milliseconds; the day of its content where it names none. */
  writtenMs: number;
}

type WrittenWords = Pick<WrittenText, 'text' | 'room'> &
  Partial<Pick<WrittenText, 'origin' | 'sourceFile' | 'title'>>;

/** The scope of texts that are written together: a secret that one of them gives away goes from all. */
export async function writtenScope(words: readonly WrittenWords[], sanitiser: Sanitiser): Promise<Scope> {
  const scope = sanitiser.scope();
  for (const { text, title = '', origin = '', sourceFile = '', room } of words)
    for (const each of [levelled(text), title, origin, sourceFile, room]) await scope.learn(each);
  return scope;
}

/**
 * A source of its own, for the miner, of a text that never was a file. The text passes the sanitiser here, as do title,
 * origin and `sourceFile`; nothing of it is staged.
 *
 * @param scope of all that is written together
 */
export async function writtenSource(written: WrittenText, scope: Scope): Promise<StagedSource> {
  const { sourceKey, wing, room, writtenMs } = written;
  const clean = async (text: string) => (await scope.clean(text)).text;
  const { text, redacted } = await scope.clean(levelled(written.text));
  const title = written.title === undefined ? undefined : await clean(written.title);
  return {
    path: '',
    text,
    sourceKey,
    sourceFile: await clean(written.sourceFile),
    origin: await clean(written.origin),
    kind: 'document',
    wing,
    room: await clean(room),
    mtimeMs: writtenMs,
    ...(title === undefined ? {} : { title }),
    bytes: Buffer.byteLength(text),
    hash: sha256(text),
    madeBy: `written, sanitiser ${scope.version}`,
    redacted,
  };
}

/** What no text file holds (lone halves of surrogate pairs, NUL) becomes what decoding makes of it. */
function levelled(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\u{fffd}');
}
