/** Sections of a Markdown document. */

/**
 * The lines of the sections under a heading, including subsections, counted from 1.
 *
 * @param {string} heading its text without the number signs
 * @returns {{ first: number, last: number }[]} one for each heading of that text
 */
export function sectionsOf(markdown, heading) {
  const lines = markdown.split('\n');
  const headings = headingsOf(lines);
  return headings.flatMap(({ text, level, line }, index) => {
    if (text !== heading) return [];
    const next = headings.slice(index + 1).find((other) => other.level <= level);
    return [{ first: line, last: next === undefined ? lines.length : next.line - 1 }];
  });
}

/** ATX headings outside of fenced code. */
function headingsOf(lines) {
  const headings = [];
  let fence;
  lines.forEach((line, index) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined;
      return;
    }
    if (mark !== undefined) {
      fence = mark;
      return;
    }
    const found = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (found !== null) headings.push({ text: found[2], level: found[1].length, line: index + 1 });
  });
  return headings;
}
