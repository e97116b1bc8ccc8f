import { plainPath } from '../../core/file-path.js';
import { type FailureRow, isStrings, type Palace, parseStored } from '../../store/index.js';
import type { Pattern, PatternQuery } from './pattern.js';

const LEAST_SESSIONS = 2;

/**
 * The same masked message of the same tool in several sessions, those of most sessions first; each is read when it is asked
 * for.
 *
 * @param kind `fix`: only errors that were fixed, with the sessions that did so
 */
export function recurringErrors(
  palace: Palace,
  kind: 'error' | 'fix',
  { file, directory, occurrences: most }: PatternQuery,
): (() => Pattern)[] {
  const fixed = kind === 'fix';
  const wanted = file === undefined ? undefined : plainPath(file);
  const found = palace.activity.recurring(LEAST_SESSIONS, { directory, fixed, file: wanted });
  return found.map(({ signature, sessions, fixes }) => () => {
    const rows = palace.activity.failures(signature, { directory, fixed }, most);
    const { tool = '', message = '' } = rows[0] ?? {};
    const count = fixed ? fixes : sessions;
    return { kind, tool, text: message, count, occurrences: rows.map(occurrenceOf) };
  });
}

function occurrenceOf({ session, fixDrawerId, fixEdits, drawerId, day, command, file }: FailureRow) {
  const fix = fixDrawerId === null ? null : { drawerId: fixDrawerId, edits: editsIn(fixEdits) };
  return { ...{ drawerId, day, command, file }, source: session, fix };
}

function editsIn(stored: string | null): string[] {
  return parseStored(stored ?? '[]', 'failures', isStrings);
}
