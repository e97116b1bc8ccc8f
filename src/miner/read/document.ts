import { readFile } from 'node:fs/promises';
import { decodeText } from '../../platform/decode.js';
import { contextOf } from '../chunk/context.js';
import { markdownAtoms } from '../chunk/markdown.js';
import { plainAtoms, plainStyle } from '../chunk/plain.js';
import { htmlHeadings, titleOfHeading } from '../chunk/title.js';
import { SegmentWriter } from '../chunk/writer.js';
import type { Segment } from '../segment.js';
import { dateInName, dateOfTime, frontMatterOf } from './front-matter.js';

const MARKDOWN = /\.(?:md|mdx|markdown|mdown|mkd)$/i;

export interface DocumentOptions {
  path: string;
  /** Relative POSIX path. Its extension decides how the text is cut; its last part may contain a date. */
  name: string;
  /** Epoch milliseconds; used as the content's date if there is no other. */
  mtimeMs: number;
  /** Overrides every date in the text and the name. */
  contentDate?: string | undefined;
}

/**
 * Reads a document and cuts it into chunks; joined, they are the decoded text. Yields nothing for an empty file.
 * The title of a document without a heading is its file name.
 *
 * @throws the file system's error when the file cannot be read
 */
export async function* documentSegments(options: DocumentOptions): AsyncGenerator<Segment> {
  const { text } = decodeText(await readFile(options.path));
  const name = options.name.slice(options.name.lastIndexOf('/') + 1);
  let first = true;
  for (const segment of textSegments(text, options)) {
    yield first && segment.title === undefined ? { ...segment, title: name } : segment;
    first = false;
  }
}

/** The same for a text in memory. */
export function* textSegments(text: string, options: Omit<DocumentOptions, 'path'>): Generator<Segment> {
  const { name, mtimeMs } = options;
  const front = frontMatterOf(text);
  const contentDate = options.contentDate ?? front.date ?? dateInName(name) ?? dateOfTime(mtimeMs);
  const writer = new SegmentWriter();
  const note = (headings: readonly string[]) => ({ context: contextOf(headings), contentDate });
  const style = plainStyle(name);
  // In YAML and TOML files, `title` is ordinary data.
  if (front.title !== undefined && style !== 'yaml' && style !== 'toml') writer.name(front.title);
  const onHeading = (source: string, kind?: 'heading' | 'html'): void => {
    for (const heading of kind === 'html' ? htmlHeadings(source) : [source])
      writer.name(titleOfHeading(heading));
  };
  writer.append(text);
  const atoms = MARKDOWN.test(name)
    ? markdownAtoms(text, { offset: 0, document: true, note, onHeading })
    : plainAtoms(text, { offset: 0, style, note, onHeading });
  for (const atom of atoms) {
    writer.push([atom]);
    yield* writer.take();
  }
  yield* writer.finish();
}
