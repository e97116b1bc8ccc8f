/** Deeper JSON would overflow the stack of recursive code. SQLite has the same limit. */
const DEPTH_LIMIT = 1_000;

export const TOO_DEEP = `nested more than ${DEPTH_LIMIT} levels deep`;

/** Whether a JSON text can be nested too deeply: each level takes two characters. */
export const mayBeTooDeep = (text: string): boolean => text.length > 2 * DEPTH_LIMIT;

/** Undefined when the text is not JSON. NUL bytes around it, which a crash of the system leaves in files, are not a part of it. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const inner = withoutPadding(text);
    return inner === text ? undefined : parseJson(inner);
  }
}

/** The text without the NUL bytes at its beginning and its end, and the blanks next to them. */
export function withoutPadding(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && PADDING.test(text[start] ?? '')) start += 1;
  while (end > start && PADDING.test(text[end - 1] ?? '')) end -= 1;
  if (!text.slice(0, start).includes('\0')) start = 0;
  return text.slice(start, text.slice(end).includes('\0') ? end : text.length);
}

const PADDING = /[\0\s\uFEFF]/;

/** Whether a JSON value is nested too deeply to be walked. `JSON.parse` itself reads any depth. */
export function isTooDeep(json: unknown): boolean {
  return isDeeper(json, DEPTH_LIMIT);
}

function isDeeper(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return levels < 0;
  if (levels < 0) return true;
  for (const value of Array.isArray(json) ? json : Object.values(json))
    if (typeof value === 'object' ? isDeeper(value, levels - 1) : levels < 1) return true;
  return false;
}

/** Whether a value is an object, but not a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
