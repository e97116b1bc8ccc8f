import MarkdownIt, { type Token } from 'markdown-it';
import type { Line } from './lines.js';

type BlockKind =
  | 'heading'
  | 'fence'
  | 'code'
  | 'table'
  | 'list'
  | 'item'
  | 'quote'
  | 'html'
  | 'front matter'
  | 'paragraph';

/** A block as a range of lines, `from` included, `to` not; blank lines belong to the block before them. */
export interface Block {
  kind: BlockKind;
  from: number;
  to: number;
  /** Of a heading: 1 to 6. */
  depth: number;
  /** The blocks of a list, an item or a quote: all its lines. Empty for other blocks and where nesting is too deep. */
  inside: Block[];
}

const KINDS: Record<string, BlockKind> = {
  heading_open: 'heading',
  fence: 'fence',
  code_block: 'code',
  table_open: 'table',
  bullet_list_open: 'list',
  ordered_list_open: 'list',
  list_item_open: 'item',
  blockquote_open: 'quote',
  html_block: 'html',
  hr: 'paragraph',
  paragraph_open: 'paragraph',
};
const CONTAINER_START = /^(?:bullet_list|ordered_list|list_item|blockquote)_open$/;
const CONTAINER_END = /^(?:bullet_list|ordered_list|list_item|blockquote)_close$/;

// Without `reference`: the definition of a link counts as a paragraph. Below 20 levels of containers nothing is parsed.
const scanner = new MarkdownIt('zero', { html: true }).enable('table');
const { ruler } = scanner.block;
// As in GFM, a line that begins a list is not the header of a table.
const [table] = ruler.getRules('');
ruler.disable('table');
if (table !== undefined) ruler.after('heading', 'gfm_table', table, { alt: ['paragraph'] });
scanner.enable(['code', 'fence', 'blockquote', 'hr', 'list', 'html_block', 'heading', 'lheading']);

/** The blocks of a Markdown text, in order; together they are all its lines. Inside lines nothing is parsed. */
export function blocksOf(text: string, lines: readonly Line[], frontMatter = false): Block[] {
  const first = frontMatter ? frontMatterLines(text, lines) : 0;
  const blocks: Block[] = first > 0 ? [blockFrom('front matter', 0)] : [];
  const open = [blocks];
  const tokens: Token[] = [];
  const body = text.slice(lines[first]?.start ?? text.length).replace(/\r\n?/g, '\n');
  scanner.block.parse(body, scanner, {}, tokens);
  for (const { type, map, tag } of tokens) {
    const kind = KINDS[type];
    if (kind !== undefined && map !== null) {
      const siblings = open.at(-1) ?? blocks;
      const before = siblings.at(-1);
      // Another marker begins another list; for cutting they are one.
      const continues = kind === 'list' && before?.kind === 'list';
      const block = continues
        ? before
        : blockFrom(kind, first + map[0], kind === 'heading' ? Number(tag.slice(1)) : 0);
      if (!continues) siblings.push(block);
      if (CONTAINER_START.test(type)) open.push(block.inside);
    } else if (CONTAINER_END.test(type)) open.pop();
  }
  if (blocks.length === 0 && lines.length > 0) blocks.push(blockFrom('paragraph', 0));
  fill(blocks, 0, lines.length);
  return blocks;
}

function blockFrom(kind: BlockKind, from: number, depth = 0): Block {
  return { kind, from, to: from, depth, inside: [] };
}

/** Gives the blocks all lines from `from` to `to`. */
function fill(blocks: readonly Block[], from: number, to: number): void {
  for (const [index, block] of blocks.entries()) {
    if (index === 0) block.from = from;
    block.to = blocks[index + 1]?.from ?? to;
    fill(block.inside, block.from, block.to);
  }
}

/** 0 without front matter that is closed. */
function frontMatterLines(text: string, lines: readonly Line[]): number {
  const lineAt = (index: number) => text.slice(lines[index]?.start, lines[index]?.end).trimEnd();
  const fence = lineAt(0);
  if (fence !== '---' && fence !== '+++') return 0;
  return lines.findIndex((_, index) => index > 0 && lineAt(index) === fence) + 1;
}
