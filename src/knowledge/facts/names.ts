import { UserError } from '../../core/errors.js';
import type { Entity } from '../../store/index.js';

/** The longest name of a subject or an object, in UTF-16 units: a fact is a short sentence, not a text. */
const LONGEST_NAME = 500;
const LONGEST_PREDICATE = 128;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const PREDICATE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.:]*$/u;

/**
 * The thing that a name means. Upper and lower case, blanks, underscores and apostrophes tell no two things apart:
 * `User A` is `user_a`.
 *
 * @param what named in what is thrown
 * @throws UserError `usage` for a name that is empty, longer than 500 characters, or holds control characters
 */
export function entityOf(what: string, name: string): Entity {
  const shown = name
    .normalize('NFC')
    .trim()
    .replace(/[^\S\n\r]+/g, ' ');
  const id = entityId(shown);
  if (id === '') throw new UserError('usage', `${what} is empty`);
  if (shown.length > LONGEST_NAME) {
    throw new UserError('usage', `${what} is longer than ${LONGEST_NAME} characters`, {
      hint: 'a fact is short; file a text as a drawer or a diary entry',
    });
  }
  if (CONTROL.test(shown)) throw new UserError('usage', `${what} holds a line break or a control character`);
  return { id, name: shown };
}

/** What a name is known by. */
export function entityId(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['\u2018\u2019]/g, '')
    .trim()
    .replace(/[\s_]+/g, '_');
}

/**
 * A predicate as it is kept: lower case, `_` for blanks and dashes.
 *
 * @throws UserError `usage`
 */
export function predicateOf(text: string): string {
  const predicate = entityId(text).replaceAll('-', '_');
  if (predicate.length <= LONGEST_PREDICATE && PREDICATE.test(predicate)) return predicate;
  throw new UserError('usage', `not a predicate: ${JSON.stringify(text)}`, {
    hint: `1 to ${LONGEST_PREDICATE} letters, digits and _ . : such as works_at`,
  });
}
