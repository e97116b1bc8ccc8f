import { UserError } from './errors.js';

const WING = /^[\p{L}\p{N}_][\p{L}\p{N}_ .'-]{0,127}$/u;
/** A wing is also a folder's name, and file systems allow 255 bytes. */
export const WING_BYTES = 200;

/** Why a wing's name is invalid, or undefined. A valid name is safe as a folder's name. */
export function wingProblem(name: string): string | undefined {
  if (!WING.test(name)) {
    return "a wing is 1 to 128 letters, digits, blanks and _ . ' -, and starts with a letter, a digit or _";
  }
  if (name.includes('..')) return 'a wing may not contain two dots in a row';
  if (Buffer.byteLength(name) > WING_BYTES) return `a wing may not be longer than ${WING_BYTES} bytes`;
  return undefined;
}

/** The name in Unicode form NFC. @throws UserError `usage` for an invalid name */
export function validateWing(name: string): string {
  const wing = name.normalize('NFC');
  const problem = wingProblem(wing);
  if (problem !== undefined) throw new UserError('usage', `not a wing: ${JSON.stringify(name)}: ${problem}`);
  return wing;
}
