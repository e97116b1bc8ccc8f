import { messageOf } from '../../core/errors.js';
import { damaged } from './failures.js';

/**
 * Reads a list of texts that the palace itself wrote as JSON. Checked by hand: zod takes 45 ms to load, and a search, which
 * has a quarter of a second, parses none of it.
 *
 * @param what named in the error
 * @throws UserError `palace-damaged`
 */
export function parseStrings(json: string, what: string): string[] {
  return parsed(json, what, 'a list', isStrings);
}

/** The same for a list of anything. */
export function parseList(json: string, what: string): unknown[] {
  return parsed(json, what, 'a list', Array.isArray);
}

/** The same for an object. */
export function parseObject(json: string, what: string): Record<string, unknown> {
  return parsed(json, what, 'an object', isObject);
}

function parsed<T>(json: string, what: string, kind: string, is: (value: unknown) => value is T): T {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw unreadable(what, messageOf(error));
  }
  if (!is(value)) throw unreadable(what, `not ${kind}`);
  return value;
}

/** What is thrown. */
export function unreadable(what: string, why: string): Error {
  return damaged(`the palace's ${what} cannot be read: ${why}`);
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
