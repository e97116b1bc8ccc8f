/**
 * `1 drawer`, `2 drawers`, `0 entries`.
 *
 * @param many where it is not the noun with an `s`
 */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
