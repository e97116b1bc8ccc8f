import type { StagedSource } from '../core/contract.js';
import { sha256 } from '../core/hash.js';
import type { Sanitiser, Scope } from '../sanitiser/index.js';

/** A text that an agent or the user gives to the palace, before redaction. */
export interface WrittenText {
  /** `<kind>:<id>/<name>.md` is cut as Markdown. Search also finds the name after the slash. */
  sourceKey: string;
  wing: string;
  room: string;
  text: string;
  /** For display and for `forget`; never a path that a feeder files, too. */
  origin: string;
  sourceFile: string;
  title?: string | undefined;
  /** Epoch milliseconds; also the day of its content when the text contains no date. */
  writtenMs: number;
}

type WrittenWords = Pick<WrittenText, 'text' | 'room'> &
  Partial<Pick<WrittenText, 'origin' | 'sourceFile' | 'title'>>;

/** The scope of texts that are written together: a secret found in one of them is removed from all. */
export async function writtenScope(words: readonly WrittenWords[], sanitiser: Sanitiser): Promise<Scope> {
  const scope = sanitiser.scope();
  for (const { text, title = '', origin = '', sourceFile = '', room } of words)
    for (const each of [levelled(text), title, origin, sourceFile, room]) await scope.learn(each);
  return scope;
}

/**
 * Makes a source from a text that was never a file. Text, title, origin, `sourceFile` and room are sanitised here;
 * nothing is staged.
 *
 * @param scope of all texts that are written together
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

/** Lone surrogates and NUL, which text files do not contain, become U+FFFD. */
function levelled(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\u{fffd}');
}
