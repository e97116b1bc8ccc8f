import MarkdownIt, { type Token } from 'markdown-it';
import { frontMatterAt } from '../../core/front-matter.js';
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

/** A range of lines, `from` included, `to` not; blank lines belong to the block before them. */
export interface Block {
  kind: BlockKind;
  from: number;
  to: number;
  /** 1 to 6 for a heading, else 0. */
  depth: number;
  /** The blocks of a list, an item or a quote; they cover all its lines. Empty for other blocks and too deep nesting. */
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

// Without `reference`: the definition of a link counts as a paragraph. Containers deeper than 20 levels are not parsed.
const scanner = new MarkdownIt('zero', { html: true }).enable('table');
const { ruler } = scanner.block;
// As in GFM, a line that begins a list is not the header of a table.
const [table] = ruler.getRules('');
ruler.disable('table');
if (table !== undefined) ruler.after('heading', 'gfm_table', table, { alt: ['paragraph'] });
// Only tokens that begin a block or end a container are kept: the cells of a small table can be 300 tokens per byte.
scanner.block.State = class extends scanner.block.State {
  override push(...given: Parameters<InstanceType<typeof scanner.block.State>['push']>): Token {
    const token = super.push(...given);
    if (KINDS[token.type] === undefined && !CONTAINER_END.test(token.type)) this.tokens.pop();
    return token;
  }
};
scanner.enable(['code', 'fence', 'blockquote', 'hr', 'list', 'html_block', 'heading', 'lheading']);

/** The blocks of a Markdown text, in order; they cover all its lines. Inline markup is not parsed. */
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
      let block = siblings.at(-1);
      // Markdown starts another list at another marker; for cutting they are one list.
      if (block === undefined || kind !== 'list' || block.kind !== 'list') {
        block = blockFrom(kind, first + map[0], kind === 'heading' ? Number(tag.slice(1)) : 0);
        siblings.push(block);
      }
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

/** Distributes all lines from `from` to `to` over the blocks. */
function fill(blocks: readonly Block[], from: number, to: number): void {
  for (const [index, block] of blocks.entries()) {
    if (index === 0) block.from = from;
    block.to = blocks[index + 1]?.from ?? to;
    fill(block.inside, block.from, block.to);
  }
}

function frontMatterLines(text: string, lines: readonly Line[]): number {
  const end = frontMatterAt(text)?.end ?? 0;
  return end === 0 ? 0 : lines.findLastIndex(({ start }) => start < end) + 1;
}
