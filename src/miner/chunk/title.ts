import { CONTEXT_MAX } from './limits.js';
import { headingTitle } from './markdown.js';

/** Headings that do not describe the document. */
const NO_TITLE = /^(?:table of contents|contents|toc|on this page)[:.]?$/i;
const LINKED_IMAGE = /\[!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])\](?:\([^)]*\)|\[[^\]]*\])/g;
const IMAGE = /!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g;
const REFERENCE_LINK = /\[([^\]]+)\]\[[^\]]*\]/g;
const MARKUP = /<!--[\s\S]*?-->|<\/?[a-z][^<>]*>/gi;
const ANCHOR = /\s*\{#[^{}]*\}\s*$/;
/** A YAML block whose first line is not `---` looks like a heading underlined with dashes. */
const KEYS = /^(?:[\w.-]+:(?:[ \t].*)?(?:\r?\n|$))+-+[ \t]*$/;
const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

/**
 * A document's title from a heading, without images and badges.
 *
 * @param source the heading's Markdown
 * @returns empty for a heading that is not a title: only badges, a table of contents, keys of a YAML block
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
