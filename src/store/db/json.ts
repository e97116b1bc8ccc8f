import { messageOf } from '../../core/errors.js';
import { damaged } from './failures.js';

/**
 * Parses JSON that the palace wrote. Checked without zod, which takes 45 ms to load; a search has a quarter of a second.
 *
 * @param what named in the error
 * @throws UserError `palace-damaged`
 */
export function parseStored<T>(json: string, what: string, is: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw unreadable(what, messageOf(error));
  }
  if (!is(value)) throw unreadable(what, 'unexpected content');
  return value;
}

export function unreadable(what: string, why: string): Error {
  return damaged(`the palace's ${what} cannot be read: ${why}`);
}

export function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
