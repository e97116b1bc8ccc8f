/** What recurs in the palace: failures of sessions with their fixes, and what was written with a type. */
import type { PatternKind } from '../../core/pattern-kinds.js';
import type { Palace } from '../../store/index.js';
import { recurringErrors } from './errors.js';
import type { Pattern, PatternQuery } from './pattern.js';
import { WRITTEN_KINDS, writtenPatterns } from './written.js';

interface PatternPage {
  /** Default: all but `fix`. */
  kind?: PatternKind | undefined;
  limit: number;
  offset: number;
}

/** Patterns of a kind, or of all but fixes, those of most sessions or entries first. */
export function patternsIn(
  palace: Palace,
  { kind, limit, offset, ...query }: PatternQuery & PatternPage,
): { patterns: Pattern[]; total: number } {
  return palace.snapshot(() => {
    const found = kind === undefined || kind === 'error' ? recurringErrors(palace, 'error', query) : [];
    if (kind === 'fix') found.push(...recurringErrors(palace, kind, query));
    // The others are about no file, and of no folder.
    const isOfAll = query.file === undefined && query.directory === undefined;
    for (const written of isOfAll ? WRITTEN_KINDS : [])
      if (kind === undefined || kind === written) found.push(...writtenPatterns(palace, written, query));
    return { patterns: found.slice(offset, offset + limit).map((read) => read()), total: found.length };
  });
}
