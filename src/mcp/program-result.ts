import { UserError } from '../core/errors.js';
import type { ProgramResult } from './tool.js';

/** Of the program: done, but something was held back; nothing meant. */
const INCOMPLETE = 3;
export const NOTHING_FOUND = 4;

/**
 * What the program printed.
 *
 * @param accepted a further exit code that is no failure
 * @throws UserError what the program complained of
 */
export function documentOf({ exitCode, json, error }: ProgramResult, accepted = INCOMPLETE): unknown {
  const fine = exitCode === 0 || exitCode === INCOMPLETE || exitCode === accepted;
  if (fine && json !== undefined) return json;
  const { message = `the program ended with ${exitCode}`, hint, code } = error ?? {};
  const known = code === 'locked' || code === 'usage' || code === 'not-found' || code === 'config';
  throw new UserError(known ? code : 'failed', message, hint === undefined ? {} : { hint });
}
