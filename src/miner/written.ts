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

/** Learns the secrets of texts that are written together, so that each is removed from all of them. */
export async function writtenScope(texts: readonly WrittenText[], sanitiser: Sanitiser): Promise<Scope> {
  const scope = sanitiser.scope();
  for (const { text, title = '', origin, sourceFile, room } of texts)
    for (const each of [levelled(text), title, origin, sourceFile, room]) await scope.learn(each);
  return scope;
}

/**
 * Makes a source from a text that was never a file. Text, title, origin, `sourceFile` and room are sanitised here;
 * nothing is staged.
 */
export async function writtenSource(
  { sourceKey, wing, writtenMs, title, ...words }: WrittenText,
  scope: Scope,
): Promise<StagedSource> {
  const clean = async (text: string) => (await scope.clean(text)).text;
  const { text, redacted } = await scope.clean(levelled(words.text));
  return {
    path: '',
    text,
    sourceKey,
    sourceFile: await clean(words.sourceFile),
    origin: await clean(words.origin),
    kind: 'document',
    wing,
    room: await clean(words.room),
    mtimeMs: writtenMs,
    title: title === undefined ? undefined : await clean(title),
    bytes: Buffer.byteLength(text),
    hash: sha256(text),
    madeBy: `written, sanitiser ${scope.version}`,
    redacted,
  };
}

/** The same for a text that is written alone. */
export async function writtenAlone(text: WrittenText, sanitiser: Sanitiser): Promise<StagedSource> {
  return writtenSource(text, await writtenScope([text], sanitiser));
}

/** Lone surrogates and NUL, which text files do not contain, become U+FFFD. */
function levelled(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\u{fffd}');
}
