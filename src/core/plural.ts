/** `1 drawer`, `2 drawers`, `0 entries`. */
export function plural(count: number, noun: string, many = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : many}`;
}
