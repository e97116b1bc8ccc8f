import { pathBelow, plainPath } from '../../core/file-path.js';
import type { PatternKind } from '../../core/pattern-kinds.js';
import type { RecurringError } from '../../reading/wake-up-text.js';
import { type FailureRow, isStrings, type Palace, parseStored } from '../../store/index.js';

/** One session in which an error occurred, or one entry or fact. */
interface Occurrence {
  /** Of a fact: null. */
  drawer_id: string | null;
  day: string;
  /** Of a session, an entry or a fact. */
  source: string;
  command: string | null;
  file: string | null;
  /** The first later success of the same command or file; the files that were changed before it. */
  fix: { drawer_id: string; edits: string[] } | null;
}

export interface Pattern {
  kind: PatternKind;
  /** Of an error: the tool's name, `shell` for all that run commands. */
  tool: string | null;
  /** The masked message, or what was written. */
  text: string;
  /** Number of sessions, entries or facts; of a fix: of sessions that fixed it. */
  count: number;
  /** Of each session, entry or fact one; newest first. Not all, where there are more than were asked for. */
  occurrences: Occurrence[];
}

export interface PatternQuery {
  /** Only errors that concern this file, or were fixed by changing it: an absolute path, or the end of one. */
  file?: string | undefined;
  directory?: string | undefined;
  /** Occurrences per pattern, at most. */
  occurrences: number;
}

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

/** Errors that recur in the sessions of a folder: those with a known fix first, then those of most sessions. */
export function knownErrors(palace: Palace, directory: string, most: number): RecurringError[] {
  const found = palace.activity.recurring(LEAST_SESSIONS, { directory });
  const fixedFirst = [...found.filter(({ fixes }) => fixes > 0), ...found.filter(({ fixes }) => fixes === 0)];
  return fixedFirst.slice(0, most).flatMap(({ signature, sessions, fixes }) => {
    const [row] = palace.activity.failures(signature, { directory, fixed: fixes > 0 }, 1);
    if (row === undefined) return [];
    const { tool, message, command, file, drawer_id, fix_drawer_id, fix_edits } = row;
    const inFolder = (path: string) => pathBelow(directory, path) ?? path;
    const fix = fix_drawer_id === null ? null : { edits: editsIn(fix_edits).map(inFolder) };
    const subject = command ?? (file === null ? null : inFolder(file));
    return [{ tool, subject, message, sessions, fix, drawerId: fix_drawer_id ?? drawer_id }];
  });
}

function occurrenceOf({ session, fix_drawer_id, fix_edits, drawer_id, day, command, file }: FailureRow) {
  const fix = fix_drawer_id === null ? null : { drawer_id: fix_drawer_id, edits: editsIn(fix_edits) };
  return { drawer_id, day, source: session, command, file, fix };
}

function editsIn(stored: string | null): string[] {
  return parseStored(stored ?? '[]', 'failures', isStrings);
}
