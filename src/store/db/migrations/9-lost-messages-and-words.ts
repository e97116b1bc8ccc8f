import type { Database } from 'better-sqlite3';

/** A `-word` of a stored question excluded the word; now it is a word like others. */
const DASHED = /(?<=^|\s)-(?=[\p{L}\p{N}])(\S+)/gu;

/**
 * Turns name their messages and mark those that their source has lost; drawers have more words in `dates` and `bigrams`, which
 * earlier ones are given in the background (`Renewal`). No column is new, but earlier programs take such turns for damage, and
 * file drawers without these words. Stored questions exclude what they excluded.
 */
export function nameMessagesAndFindMore(database: Database): void {
  const stored = database.prepare<[], { id: number; question: string }>(
    "SELECT id, question FROM collections WHERE question LIKE '%-%'",
  );
  const put = database.prepare('UPDATE collections SET question = ? WHERE id = ?');
  for (const { id, question } of stored.all())
    put.run(
      question.replace(DASHED, (_, word: string) => `-"${word.replace(/[.,;:!?]+$/u, '')}"`),
      id,
    );
}
