const BLOCKS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** A character per number, as high as its share of the largest; a space for what is not above 0. */
export function levels(values: readonly number[]): string[] {
  const most = Math.max(0, ...values);
  return values.map((value) => {
    if (!(value > 0)) return ' ';
    return BLOCKS[Math.ceil((value / most) * BLOCKS.length) - 1] ?? '█';
  });
}

/** The same of a share of 1. */
export function level(share: number): string {
  return levels([share, 1])[0] ?? '';
}

const DAY_MS = 86_400_000;

/**
 * Sums per week, the current one last.
 *
 * @param days `YYYY-MM-DD` with a number
 * @param today the last day of the current week
 */
export function perWeek(
  days: readonly (readonly [day: string, count: number])[],
  today: string,
  weeks: number,
): number[] {
  const sums = Array.from({ length: weeks }, () => 0);
  for (const [day, count] of days) {
    const ago = Math.floor((Date.parse(today) - Date.parse(day)) / (7 * DAY_MS));
    if (ago >= 0 && ago < weeks) sums[weeks - 1 - ago] = (sums[weeks - 1 - ago] ?? 0) + count;
  }
  return sums;
}
