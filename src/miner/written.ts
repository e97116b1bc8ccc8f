import type { StagedSource } from '../common/contract.js';
import { sha256 } from '../common/hash.js';
import type { Sanitiser } from '../sanitiser/index.js';

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

/**
 * A source of its own, for the miner, of a text that never was a file. The text passes the sanitiser here, as do title,
 * origin and `sourceFile`; nothing of it is staged.
 */
export async function writtenSource(written: WrittenText, sanitiser: Sanitiser): Promise<StagedSource> {
  const { sourceKey, wing, room, writtenMs } = written;
  const clean = async (text: string) => (await sanitiser.clean(text)).text;
  const { text, redacted } = await sanitiser.clean(levelled(written.text));
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
    madeBy: `written, sanitiser ${sanitiser.version}`,
    redacted,
  };
}

/** What no text file holds (lone halves of surrogate pairs, NUL) becomes what decoding makes of it. */
function levelled(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\u{fffd}');
}
