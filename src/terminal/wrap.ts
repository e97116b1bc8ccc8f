/** A narrower terminal wraps lines itself. One of unknown width reports 0 columns. */
const LEAST_COLUMNS = 20;

/**
 * Wraps a text between words; a word longer than a row stays whole. Rows keep the indentation of their line. Errors use
 * it too, so it loads nothing.
 *
 * @param columns undefined leaves lines whole
 * @param hanging indentation of all rows of a line except its first; default: that of the line
 */
export function wrap(text: string, columns: number | undefined, hanging?: number): string {
  if (columns === undefined || columns < LEAST_COLUMNS) return text;
  return text
    .split('\n')
    .map((row) => wrapRow(row, columns, hanging))
    .join('\n');
}

function wrapRow(row: string, columns: number, hanging: number | undefined): string {
  if (widthOf(row) <= columns) return row;
  const lead = /^ */.exec(row)?.[0].length ?? 0;
  const indent = Math.min(hanging ?? lead, Math.floor(columns / 2));
  const rows: string[] = [];
  let current = ' '.repeat(lead);
  let empty = true;
  for (const [, gap = '', word = ''] of row.slice(lead).matchAll(/( *)([^ ]+)/g)) {
    if (!empty && widthOf(current + gap + word) > columns) {
      rows.push(current);
      current = ' '.repeat(indent) + word;
    } else {
      current += gap + word;
    }
    empty = false;
  }
  return [...rows, current].join('\n');
}

const STYLE = /\u001b\[[\d;]*m/g;
const WIDE = /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]/g;

/** An approximation: own messages contain no emoji. */
function widthOf(text: string): number {
  const shown = text.replace(STYLE, '');
  return shown.length + (shown.match(WIDE)?.length ?? 0);
}
