/**
 * Commands that had another name, and one that people type for `sessions`. What programs rely on keeps it: names of operations, and so addresses and messages between
 * processes, the `command` of documents and runs, and tools.
 */
export const RENAMED: ReadonlyMap<string, string> = new Map([
  ['kg', 'facts'],
  ['conflicts', 'facts conflicts'],
  ['metabolism', 'suggestions'],
  ['session', 'sessions'],
]);

/** What the user types: `facts query` for `kg query`. */
export function renamed(name: string): string {
  const [first = '', ...rest] = name.split(' ');
  return [RENAMED.get(first) ?? first, ...rest].join(' ');
}
