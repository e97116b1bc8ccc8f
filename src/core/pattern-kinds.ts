/** Kinds of what recurs: errors of tools and their fixes, and what was written down with this type. */
export const PATTERN_KINDS = ['error', 'fix', 'decision', 'preference', 'architecture'] as const;
export type PatternKind = (typeof PATTERN_KINDS)[number];
