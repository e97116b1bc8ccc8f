/** The longest time of a timer in Node, milliseconds: 24 days. A longer one would end at once. */
const LONGEST_MS = 2 ** 31 - 1;

export const timerMs = (ms: number): number => Math.min(ms, LONGEST_MS);
