/** The programs' terminal styles, as attributes of SVG text. */
const STYLES: Record<string, string> = {
  1: 'font-weight="bold"',
  2: 'fill="#8b949e"',
  4: 'text-decoration="underline"',
  32: 'fill="#7ee787"',
  33: 'fill="#e3b341"',
  36: 'fill="#79c0ff"',
};
/** Escape codes that end styles, and the styles that they end. */
const ENDS: Record<string, readonly string[]> = { 22: ['1', '2'], 24: ['4'], 39: ['32', '33', '36'] };

const ESCAPE = new RegExp(`${String.fromCharCode(27)}\\[([\\d;]*)m`);
const CHAR_WIDTH = 8.4;
const LINE_HEIGHT = 19;
const MARGIN = 16;

/**
 * A picture of text in a terminal.
 *
 * @param text with the escape sequences of colours and styles
 * @param columns the width of the terminal
 */
export function terminalPicture(text: string, columns: number): string {
  const lines = text.trimEnd().split('\n');
  const width = Math.ceil(columns * CHAR_WIDTH) + 2 * MARGIN;
  const height = lines.length * LINE_HEIGHT + 2 * MARGIN;
  const active = new Set<string>();
  const rows = lines.flatMap((line, index) => {
    const y = MARGIN + (index + 0.75) * LINE_HEIGHT;
    const inside = spans(line, active);
    return inside === '' ? [] : [`<text x="${MARGIN}" y="${y}">${inside}</text>`];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<title>mempalace in a terminal</title>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="#e6edf3" xml:space="preserve">
${rows.join('\n')}
</g>
</svg>
`;
}

/** @param active the styles in force; changed by the line's escape codes */
function spans(line: string, active: Set<string>): string {
  const pieces = line.split(ESCAPE);
  return pieces
    .map((piece, index) => {
      if (index % 2 === 0) return span(piece, active);
      for (const code of piece.split(';')) {
        if (code === '0' || code === '') active.clear();
        else if (code in STYLES) active.add(code);
        for (const ended of ENDS[code] ?? []) active.delete(ended);
      }
      return '';
    })
    .join('');
}

function span(text: string, active: ReadonlySet<string>): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  if (text === '' || active.size === 0) return escaped;
  return `<tspan ${[...active].map((code) => STYLES[code]).join(' ')}>${escaped}</tspan>`;
}
