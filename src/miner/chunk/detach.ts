/**
 * A copy of a string that shares no memory with what it was cut from. V8 keeps the whole parent of a slice
 * alive: without this, a reference to one chunk keeps its segment, and a reference to a title its document.
 */
export function detach(text: string): string {
  return text.length === 0 ? '' : ` ${text}`.slice(1);
}
