/** What recurs in the palace: failures of sessions with their fixes, and what was written with a type. */
import type { Palace } from '../../store/index.js';
import { recurringErrors } from './errors.js';
import type { Pattern, PatternKind, PatternQuery } from './pattern.js';
import { WRITTEN_KINDS, writtenPatterns } from './written.js';

/** Patterns of a kind, or of all, those of most sessions or entries first. */
export function patternsIn(
  palace: Palace,
  query: PatternQuery & { kind?: PatternKind | undefined },
): Pattern[] {
  const { kind } = query;
  return palace.snapshot(() => {
    const found: Pattern[] = [];
    if (kind === undefined || kind === 'error') found.push(...recurringErrors(palace, query));
    if (kind === 'fix') found.push(...recurringErrors(palace, query).flatMap((each) => fixOf(each) ?? []));
    // They are about no file, and of no folder.
    if (query.file !== undefined || query.directory !== undefined) return found;
    for (const written of WRITTEN_KINDS)
      if (kind === undefined || kind === written) found.push(...writtenPatterns(palace, written));
    return found;
  });
}

/** An error that was fixed, with the sessions that did so. */
function fixOf(pattern: Pattern): Pattern | undefined {
  const occurrences = pattern.occurrences.filter(({ fix }) => fix !== null);
  return occurrences.length === 0 ? undefined : { ...pattern, kind: 'fix', occurrences };
}
