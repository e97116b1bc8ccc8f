/**
 * A copy of a string that shares no memory with what it was cut from. V8 keeps the whole parent of a slice
 * alive: without this, whoever holds one chunk holds its segment, and whoever holds a title its document.
 */
export function detach(text: string): string {
  return text.length === 0 ? '' : ` ${text}`.slice(1);
}
