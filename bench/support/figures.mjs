/** Medians, shares and the table that a run prints. */

/** The quantile for this share (0–1) of the numbers, nearest rank. */
export function quantile(numbers, share) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(share * sorted.length) - 1))];
}

export const median = (numbers) => quantile(numbers, 0.5);

/** Minimum and maximum, as printed after a median. */
const spread = (numbers, digits) =>
  `${Math.min(...numbers).toFixed(digits)}–${Math.max(...numbers).toFixed(digits)}`;

/**
 * One line of the table.
 *
 * @param {string} name what was measured
 * @param {string} figure with its unit
 * @param {{ target?: string, met?: boolean, note?: string }} [more] `met` is left out for figures without target
 */
export const row = (name, figure, more = {}) => ({ name, figure, ...more });

/**
 * The median of seconds with their spread, and an upper bound.
 *
 * @param {{ below?: number, unit?: 's' | 'ms', note?: string }} [options] `below` in the unit
 */
export function timeRow(name, seconds, options = {}) {
  const { below, unit = 's', note } = options;
  const values = unit === 'ms' ? seconds.map((value) => value * 1000) : seconds;
  const digits = unit === 'ms' ? 0 : 2;
  const middle = median(values);
  const behind = values.length > 1 ? `${values.length} runs: ${spread(values, digits)}` : '1 run';
  return row(name, `${middle.toFixed(digits)} ${unit}`, {
    ...(below === undefined ? {} : { target: `< ${below} ${unit}`, met: middle < below }),
    note: note === undefined ? behind : `${behind}; ${note}`,
  });
}

/** The table as text: one line a row, columns aligned, ✓ or ✗ where there is a target. */
export function renderTable(rows) {
  const cells = rows.map(({ name, figure, target = '', met, note = '' }) => [
    name,
    figure,
    target,
    met === undefined ? ' ' : met ? '✓' : '✗',
    note,
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((cell) => cell[column].length)));
  return cells
    .map(([name, figure, target, mark, note]) =>
      `${name.padEnd(widths[0])}  ${figure.padStart(widths[1])}  ${target.padStart(widths[2])} ${mark}  ${note}`.trimEnd(),
    )
    .join('\n');
}
