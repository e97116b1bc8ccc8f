/** Lexical index: English stemming over Unicode words; accents do not matter. */
export const TOKENIZE = 'porter unicode61 remove_diacritics 2';

/** Columns of the lexical index, in order, with their weight in BM25. */
export const LEXICAL_COLUMNS = [
  { name: 'text', weight: 1 },
  { name: 'title', weight: 0.5 },
  { name: 'context', weight: 0.5 },
  { name: 'place', weight: 0.25 },
  { name: 'dates', weight: 0.25 },
  { name: 'bigrams', weight: 1 },
] as const;

/** A drawer's row id and its text in each column. */
export type LexicalRow = { id: number } & Record<(typeof LEXICAL_COLUMNS)[number]['name'], string>;
