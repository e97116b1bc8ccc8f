/** More than all programs have; a transcript may contain any names. */
const MOST_NAMES = 500;
/** A session calls a few tools thousands of times. */
const known = new Map<string, string>();

/** The name of a tool in lower case without punctuation: programs and releases spell it differently. */
export function toolName(name: string): string {
  const found = known.get(name);
  if (found !== undefined) return found;
  const tool = name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();
  if (known.size === MOST_NAMES) known.clear();
  known.set(name, tool);
  return tool;
}
