/** Markdown as blocks that are rendered each by itself. Only the blocks are found at once; the words in them when they are shown. */
import MarkdownIt, { type Token } from 'markdown-it';
import { frontMatterAt } from '../src/core/front-matter.js';
import { type Block, cut } from './blocks.js';

/** Longer Markdown is shown as it is written, UTF-16 units. */
export const LONGEST = 400_000;
/** A block beyond one of these is shown as it is written; of a heading, the outline has the beginning. The parser leaves out what is 100 levels deep. */
const MOST = { chars: 16_000, lines: 300, tokens: 2_000, levels: 24, heading: 300 };

const LIST = /^(?:bullet|ordered)_list_open$/;

const parser = new MarkdownIt({ html: false, linkify: true });
parser.core.ruler.enableOnly(['normalize', 'block']);

/** A block of Markdown. */
export interface Rendered {
  tokens: readonly Token[];
  /** The definitions of links of the whole text. */
  env: object;
  /** Number of the line that the tokens count as 0. */
  base: number;
}

/** The words of a part of a block, found once. Undefined if they are too many: it is shown as it is written. */
export function wordsOf({ content, children }: Token, env: object): readonly Token[] | undefined {
  const words = children ?? [];
  if (words.length === 0) parser.inline.parse(content, parser, env, words);
  return words.length > MOST.tokens ? undefined : words;
}

/** Words without their marks: of a heading, of the text instead of an image. */
export const plainOf = (tokens: readonly Token[]): string =>
  tokens
    .map(({ type, content, children }) =>
      type === 'softbreak' || type === 'hardbreak' ? ' ' : children ? plainOf(children) : content,
    )
    .join('');

/** A heading of a document, for its outline. */
export interface Heading {
  depth: number;
  text: string;
  line: number;
}

export function headingsOf(blocks: readonly Block[]): Heading[] {
  return blocks.flatMap(({ rendered }) => {
    const [open, words] = rendered?.tokens ?? [];
    if (rendered === undefined || open?.type !== 'heading_open' || !words) return [];
    const shown: Token[] = [];
    parser.inline.parse(words.content.slice(0, MOST.heading), parser, rendered.env, shown);
    const text = plainOf(shown);
    return [{ depth: Number(open.tag[1]), text, line: rendered.base + (open.map?.[0] ?? 0) }];
  });
}

/** The heading that the rendered part of a document begins with, if it repeats a title and is not all there is. */
export function titleIn(blocks: readonly Block[], title: string): Block | undefined {
  const first = blocks.find(({ rendered }) => rendered !== undefined);
  if (first === undefined || first === blocks.at(-1)) return undefined;
  return headingsOf([first])[0]?.text === title ? first : undefined;
}

/** Cuts a part of a text into blocks of Markdown. @param from where the Markdown begins */
export function cutMarkdown(text: string, start: number, end: number, first: number, from = start): Block[] {
  const words = text.slice(from, end);
  const starts = [0, ...Array.from(words.matchAll(/\n/g), ({ index }) => index + 1)];
  const count = words.endsWith('\n') ? starts.length - 1 : starts.length;
  const base = first + text.slice(start, from).split('\n').length - 1;
  const env = {};
  // Lines end where those of the palace end.
  const parts = partsOf(parser.parse(words.replace(/\r(?!\n)/g, ' '), env));
  if (parts.length === 0) return cut(text, start, end, first);
  return parts.flatMap((tokens, index): Block[] => {
    const line = index === 0 ? 0 : lineOf(tokens);
    const { [index + 1]: next } = parts;
    const until = next === undefined ? count : lineOf(next);
    const place = {
      start: index === 0 ? start : from + (starts[line] ?? 0),
      end: next === undefined ? end : from + (starts[until] ?? 0),
      first: index === 0 ? first : base + line,
      last: base + until - 1,
    };
    const [chars, lines] = [place.end - place.start, until - line];
    const isLarge =
      chars > MOST.chars ||
      lines > MOST.lines ||
      tokens.length > MOST.tokens ||
      tokens.some(({ level }) => level > MOST.levels);
    if (isLarge) return cut(text, place.start, place.end, place.first);
    const shape = { role: undefined, isHead: false, isFolded: false, goesOn: false };
    const rows = Math.max(lines, Math.ceil(chars / 90));
    return [{ ...place, ...shape, rows, turn: [first, place.last], rendered: { tokens, env, base } }];
  });
}

/** A document: its front matter is not Markdown. */
export function cutDocument(text: string): Block[] {
  const matter = frontMatterAt(text);
  if (matter === undefined) return cutMarkdown(text, 0, text.length, 1);
  const head = cut(text, 0, matter.end, 1);
  const line = (head.at(-1)?.last ?? 0) + 1;
  return matter.end === text.length ? head : [...head, ...cutMarkdown(text, matter.end, text.length, line)];
}

/** Of a list, the item. */
const lineOf = (tokens: readonly Token[]): number =>
  tokens.find(({ type, map }) => map !== null && !LIST.test(type))?.map?.[0] ?? 0;

/** The outermost blocks; of a list, each item, in a list of its own. */
function partsOf(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [];
  let [list, part, number]: [Token | undefined, Token[], number] = [undefined, [], 1];
  const ends = (level: number, nesting: number, at: number): boolean => level === at && nesting < 1;
  for (const token of tokens) {
    const { type, level, nesting } = token;
    if (level === 0 && LIST.test(type)) [list, number] = [token, Number(token.attrGet('start') ?? 1)];
    else if (level === 0 && /^(?:bullet|ordered)_list_close$/.test(type)) list = undefined;
    else {
      part.push(token);
      if (!ends(level, nesting, list === undefined ? 0 : 1)) continue;
      parts.push(list === undefined ? part : [numbered(list, number), ...part]);
      part = [];
      number += 1;
    }
  }
  return parts;
}

/** A list that begins with a number. */
const numbered = (list: Token, number: number): Token =>
  Object.assign(Object.create(Object.getPrototypeOf(list)), list, { attrs: [['start', String(number)]] });
