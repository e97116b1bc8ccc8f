import { CONTEXT_MAX } from './limits.js';
import { headingTitle } from './markdown.js';

/** Headings that name a part which every document has. */
const NO_TITLE = /^(?:table of contents|contents|toc|on this page)[:.]?$/i;
const LINKED_IMAGE = /\[!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\](?:\([^)]*\)|\[[^\]]*\])/g;
const IMAGE = /!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g;
const REFERENCE_LINK = /\[([^\]]+)\]\[[^\]]*\]/g;
const MARKUP = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const ANCHOR = /\s*\{#[^{}]*\}\s*$/;
/** What a YAML block looks like to a reader of Markdown whose first line is not `---`: a text underlined with dashes. */
const KEYS = /^(?:[\w.-]+:(?:[ \t].*)?(?:\r?\n|$))+-+[ \t]*$/;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const HTML_HEADING = /<h([1-6])\b[^>]*>([\s\S]*?)<\/h\1\s*>/gi;

/**
 * What a heading calls its document: its words without images and badges.
 *
 * @param source of the heading, as Markdown
 * @returns empty for a heading that names nothing: badges only, a table of contents, keys of a YAML block
 */
export function titleOfHeading(source: string): string {
  const beginning = source.slice(0, 4 * CONTEXT_MAX).trim();
  if (KEYS.test(beginning)) return '';
  const words = beginning
    .replace(LINKED_IMAGE, '')
    .replace(IMAGE, '')
    .replace(REFERENCE_LINK, '$1')
    .replace(MARKUP, '');
  const title = headingTitle(words)
    .replace(ANCHOR, '')
    .replace(/&(\w+);/g, (all, name) => ENTITIES[name] ?? all);
  return /[\p{L}\p{N}]/u.test(title) && !NO_TITLE.test(title) ? title : '';
}

/** The headings in a block of HTML, as their source. */
export function* htmlHeadings(block: string): Generator<string> {
  for (const [, , inside = ''] of block.matchAll(HTML_HEADING)) yield inside.replace(/\s+/g, ' ');
}
