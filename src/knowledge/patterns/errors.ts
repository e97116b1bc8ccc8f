import { plainPath } from '../../core/file-path.js';
import { groupBy } from '../../core/group-by.js';
import { type FailureRow, isStrings, type Palace, parseStored } from '../../store/index.js';
import type { Pattern, PatternQuery } from './pattern.js';

const LEAST_SESSIONS = 2;

/** The same masked message of the same tool in several sessions. A sub-agent belongs to its session. */
export function recurringErrors(palace: Palace, { file, directory }: PatternQuery): Pattern[] {
  const rows = palace.activity.recurringFailures(LEAST_SESSIONS, directory);
  const patterns = [...groupBy(rows, ({ signature }) => signature).values()].map(patternOf);
  const wanted = file === undefined ? undefined : plainPath(file);
  return patterns
    .filter((pattern) => wanted === undefined || isAbout(pattern, wanted))
    .sort((a, b) => b.count - a.count || compare(b, a));
}

function patternOf(rows: readonly FailureRow[]): Pattern {
  const occurrences = rows.map(
    ({ sourceKey, sessionId, drawerId, day, command, file, fixDrawerId, fixEdits }) => ({
      ...{ drawerId, day, command, file },
      source: sessionId ?? sourceKey,
      fix: fixDrawerId === null ? null : { drawerId: fixDrawerId, edits: editsIn(fixEdits) },
    }),
  );
  const { tool = '', message = '' } = rows[0] ?? {};
  const count = new Set(occurrences.map(({ source }) => source)).size;
  return { kind: 'error', tool, text: message, count, occurrences };
}

function editsIn(stored: string | null): string[] {
  return parseStored(stored ?? '[]', 'failures', isStrings);
}

function isAbout({ occurrences }: Pattern, wanted: string): boolean {
  const isWanted = (path: string) => path === wanted || path.endsWith(`/${wanted}`);
  return occurrences.some(({ file, fix }) => [file ?? '', ...(fix?.edits ?? [])].some(isWanted));
}

const dayOf = ({ occurrences }: Pattern): string => occurrences[0]?.day ?? '';

function compare(a: Pattern, b: Pattern): number {
  return dayOf(a) < dayOf(b) ? -1 : dayOf(a) > dayOf(b) ? 1 : 0;
}
