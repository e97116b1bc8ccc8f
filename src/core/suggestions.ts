/**
 * What a source may be worth:
 * - `reflect`: often used; a document in the reflection wing
 * - `constitution`: proved itself in the reflection wing; to be told first
 * - `archive`: a document of a palace of files, old and never used; the archive
 * - `cold`: a room in which everything is old and never used; not to be searched
 */
export const STEPS = ['reflect', 'constitution', 'archive', 'cold'] as const;
export type Step = (typeof STEPS)[number];

/** Types of the documents in a reflection wing. */
export const OUTPUTS = [
  'principle-card',
  'prompt-kernel',
  'failure-pattern',
  'thinking-path',
  'constitution-candidate',
] as const;
export type Output = (typeof OUTPUTS)[number];
