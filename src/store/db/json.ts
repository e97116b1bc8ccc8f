import { messageOf, UserError } from '../../core/errors.js';

/**
 * What the palace itself wrote as JSON, read back. Checked by hand: zod takes 45 ms to load, and a search, which
 * has a quarter of a second, parses none of it.
 *
 * @param what named in what is thrown
 * @throws UserError `palace-damaged`
 */
export function parseStrings(json: string, what: string): string[] {
  const value = parse(json, what);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
    throw damaged(what, 'not a list');
  return value;
}

/** The same of a list of anything. */
export function parseList(json: string, what: string): unknown[] {
  const value = parse(json, what);
  if (!Array.isArray(value)) throw damaged(what, 'not a list');
  return value;
}

/** The same of an object. */
export function parseObject(json: string, what: string): Record<string, unknown> {
  const value = parse(json, what);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw damaged(what, 'not an object');
  return Object.fromEntries(Object.entries(value));
}

function parse(json: string, what: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw damaged(what, messageOf(error));
  }
}

/** What is thrown. */
export function damaged(what: string, why: string): UserError {
  return new UserError('palace-damaged', `the palace's ${what} cannot be read: ${why}`, {
    hint: 'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
  });
}
