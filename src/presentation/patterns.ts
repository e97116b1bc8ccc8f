/** What recurs: as JSON. */
import { snakeNamed } from '../core/case.js';
import { NOTICE } from '../core/outside.js';
import { plural } from '../core/plural.js';
import type { Patterns } from '../service/contract/index.js';

/** Occurrences per pattern. */
export const OCCURRENCES_SHOWN = 5;

type Pattern = Patterns['patterns'][number];
type Occurrence = Pattern['occurrences'][number];

/** A page of patterns with their occurrences. */
export function patternsJson({ patterns, total, unread }: Patterns): Record<string, unknown> {
  return { notice: NOTICE, total, unread, patterns: patterns.map(patternJson) };
}

function patternJson({ kind, tool, text, count, occurrences }: Pattern): Record<string, unknown> {
  return { kind, tool, text, count, occurrences: occurrences.map(occurrenceJson) };
}

/** One occurrence of a pattern. */
export function occurrenceJson({ fix, ...occurrence }: Occurrence): Record<string, unknown> {
  return { ...snakeNamed(occurrence), fix: fix === null ? null : snakeNamed(fix) };
}

/** Remarks on an answer, for the user or an agent. */
export function patternNotes({ total, unread }: Patterns): string[] {
  return [
    ...(total === 0 ? ['nothing recurs'] : []),
    ...(unread === 0
      ? []
      : [`${plural(unread, 'session')} not looked through yet; the next run that files sessions does it`]),
  ];
}

/** How often it occurred. */
export function timesOf({ kind, count }: Pick<Pattern, 'kind' | 'count'>): string {
  return kind === 'error' || kind === 'fix' ? plural(count, 'session') : `${count} times`;
}
