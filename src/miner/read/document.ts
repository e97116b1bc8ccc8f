import { readFile } from 'node:fs/promises';
import { decodeText } from '../../common/decode.js';
import { contextOf } from '../chunk/context.js';
import { markdownAtoms } from '../chunk/markdown.js';
import { plainAtoms, plainStyle } from '../chunk/plain.js';
import { SegmentWriter } from '../chunk/writer.js';
import type { Segment } from '../segments.js';
import { dateInName, dateOfTime, frontMatterOf } from './front-matter.js';

const MARKDOWN = /\.(?:md|mdx|markdown|mdown|mkd)$/i;

export interface DocumentOptions {
  path: string;
  /** Relative path (POSIX); its extension decides how the text is cut, a date in its last part counts. */
  name: string;
  /** Epoch milliseconds; the last resort for the content's date. */
  mtimeMs: number;
  /** Known already; what the text says of itself does not count then. */
  contentDate?: string | undefined;
}

/**
 * Reads a document and cuts it into chunks that, joined in order, give back every character of the decoded
 * text. Nothing is yielded for an empty file.
 *
 * @throws the file system's error when the file cannot be read
 */
export async function* documentSegments(options: DocumentOptions): AsyncGenerator<Segment> {
  const { text } = decodeText(await readFile(options.path));
  yield* textSegments(text, options);
}

/** The same for a text that was read already. */
export function* textSegments(text: string, options: Omit<DocumentOptions, 'path'>): Generator<Segment> {
  const { name, mtimeMs } = options;
  const front = frontMatterOf(text);
  const contentDate = options.contentDate ?? front.date ?? dateInName(name) ?? dateOfTime(mtimeMs);
  const writer = new SegmentWriter();
  const note = (headings: readonly string[]) => ({ context: contextOf(headings), contentDate });
  if (front.title !== undefined) writer.name(front.title);
  const onTitle = (title: string): void => writer.name(title);
  writer.append(text);
  const atoms = MARKDOWN.test(name)
    ? markdownAtoms(text, { offset: 0, document: true, note, onTitle })
    : plainAtoms(text, { offset: 0, style: plainStyle(name), note, onTitle });
  for (const atom of atoms) {
    writer.push([atom]);
    yield* writer.take();
  }
  yield* writer.finish();
}
