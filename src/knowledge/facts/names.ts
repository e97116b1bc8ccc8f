import { UserError } from '../../core/errors.js';
import type { Entity } from '../../store/index.js';

export interface FactWords {
  subject: string;
  predicate: string;
  object: string;
}

/** Longest name of a subject or object, UTF-16 units: a fact is short. */
const LONGEST_NAME = 500;
const LONGEST_PREDICATE = 128;
const CONTROL = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const PREDICATE = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}_.:]*$/u;

/**
 * The entity with a name. Case, blanks, underscores and apostrophes are ignored: `User A` is `user_a`.
 *
 * @param what the argument's name in an error
 * @throws UserError `usage` for a name that is empty, longer than 500 characters, or contains control characters
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
  if (CONTROL.test(shown))
    throw new UserError('usage', `${what} contains a line break or a control character`);
  return { id, name: shown };
}

/** The identity of a name: without regard to case, apostrophes, and kinds of blanks. */
export function entityId(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/['\u2018\u2019]/g, '')
    .trim()
    .replace(/[\s_]+/g, '_');
}

/** Normalizes a predicate: lower case, `_` for blanks and dashes. @throws UserError `usage` */
export function predicateOf(text: string): string {
  const predicate = entityId(text).replaceAll('-', '_');
  if (predicate.length <= LONGEST_PREDICATE && PREDICATE.test(predicate)) return predicate;
  throw new UserError('usage', `not a predicate: ${JSON.stringify(text)}`, {
    hint: `1 to ${LONGEST_PREDICATE} letters, digits and _ . : such as works_at`,
  });
}

/**
 * Predicates that usually have several objects at once. For every other one, a second object at the same time is reported
 * as a conflict; it is stored all the same.
 */
const SEVERAL = new Set(
  `affects alias also_known_as asked_for attends blocks built_with calls caused causes child_of collaborates_with
  connected_to connects_to contains created decided depends_on discussed discovered dislikes documented_in employs
  enjoys example_of extends fixed friend_of has has_alias has_bug has_child has_dependency has_feature has_file has_member
  has_part has_room has_sibling has_skill has_tag imports includes influences integrates_with interested_in invited
  knows knows_about likes links_to loves maintains member_of mentions needs notes owns parent_of part_of
  participates_in plays prefers produces provides read reads related_to relates_to replaced requires reviewed runs
  said seen_in sibling_of speaks studied studies supports tagged talked_to teaches tests uses used visited wants watched
  works_on works_with wrote`.split(/\s+/),
);

export function takesSeveral(predicate: string): boolean {
  return SEVERAL.has(predicate);
}
