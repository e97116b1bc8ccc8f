import type { Row } from './rows.js';

// The starts and ends of HTML blocks, CommonMark 0.31 §4.6.
const HTML_UNTIL_BLANK =
  /^<\/?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul)(?:[ \t]|\/?>|$)/i;
const HTML_TAG_ALONE = /^<(?:[a-z][a-z0-9-]*(?:[ \t][^<>]*)?\/?|\/[a-z][a-z0-9-]*[ \t]*)>[ \t]*$/i;
const HTML_UNTIL_END: readonly [RegExp, RegExp][] = [
  [/^<(?:script|pre|style|textarea)(?:[ \t>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^<!--/, /-->/],
  [/^<\?/, /\?>/],
  [/^<!\[CDATA\[/, /\]\]>/],
  [/^<![a-z]/i, />/],
];

/** Undefined when no HTML block starts here; `fresh` when no paragraph is open. */
export function endOfHtml(rows: readonly Row[], at: number, fresh: boolean): number | undefined {
  const rest = rows[at]?.rest ?? '';
  if (!rest.startsWith('<')) return undefined;
  for (const [open, close] of HTML_UNTIL_END) {
    if (!open.test(rest)) continue;
    let end = at;
    while (end < rows.length && !close.test(rows[end]?.rest ?? '')) end++;
    return Math.min(end + 1, rows.length);
  }
  if (!HTML_UNTIL_BLANK.test(rest) && !(fresh && HTML_TAG_ALONE.test(rest))) return undefined;
  let end = at + 1;
  while (end < rows.length && rows[end]?.rest.trim() !== '') end++;
  return end;
}

/** Whether the line starts an HTML block that may interrupt a paragraph. */
export function startsHtml(rest: string): boolean {
  if (!rest.startsWith('<')) return false;
  return HTML_UNTIL_BLANK.test(rest) || HTML_UNTIL_END.some(([open]) => open.test(rest));
}
