import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { isMarkdown } from '../../core/front-matter.js';
import { decodeText } from '../../platform/decode.js';
import { addCounts, type Sanitiser } from '../../sanitiser/index.js';
import { contextOf } from '../chunk/context.js';
import { markdownAtoms, titleOfHeading } from '../chunk/markdown.js';
import { plainAtoms, plainStyle } from '../chunk/plain.js';
import { SegmentWriter } from '../chunk/writer.js';
import type { Segment } from '../segment.js';
import { dayOfDocument, frontMatterOf } from './front-matter.js';

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
 * @param sanitiser for text that no feeder has sanitised; its title is not the file name
 * @throws the file system's error when the file cannot be read
 */
export async function* documentSegments(
  options: DocumentOptions,
  sanitiser?: Sanitiser,
): AsyncGenerator<Segment> {
  const { text } = decodeText(await readFile(options.path));
  const cleaned = await sanitiser?.clean(text);
  let first = true;
  for (const segment of textSegments(cleaned?.text ?? text, options)) {
    if (first && cleaned !== undefined) addCounts(segment.redacted, cleaned.redacted);
    else if (first) segment.title ??= basename(options.name);
    first = false;
    yield segment;
  }
}

export function* textSegments(text: string, options: Omit<DocumentOptions, 'path'>): Generator<Segment> {
  const { name } = options;
  const front = frontMatterOf(text);
  const contentDate = dayOfDocument(front, name, options) ?? null;
  const writer = new SegmentWriter();
  const style = plainStyle(name);
  // In YAML and TOML files, `title` is ordinary data.
  if (front.title !== undefined && style !== 'yaml' && style !== 'toml') writer.name(front.title);
  const headings = {
    note: (path: readonly string[]) => ({ context: contextOf(path), contentDate, role: null }),
    onHeading: (source: string) => writer.name(titleOfHeading(source)),
  };
  writer.append(text);
  const atoms = isMarkdown(name)
    ? markdownAtoms(text, { ...headings, document: true })
    : plainAtoms(text, { ...headings, style });
  for (const atom of atoms) {
    writer.push([atom]);
    yield* writer.take();
  }
  yield* writer.finish();
}
