import type Database from 'better-sqlite3';
import type { Skipped } from '../../core/contract.js';
import { type Group, groupDrawers } from './group.js';
import { chromaFile, explainChroma, openChroma } from './open.js';
import { theirDrawers } from './rows.js';

/** What a palace of MemPalace holds, as it was when it was opened; its texts are read later. */
export interface ChromaSurvey {
  /** Absolute. */
  file: string;
  database: Database.Database;
  /** Null for a version that knows no collections. */
  collection: string | null;
  groups: Group[];
  drawers: number;
  /** Rows that are no drawers, by what they are. */
  dropped: Record<string, number>;
  problems: Skipped[];
  close(): void;
}

/**
 * Reads which drawers a palace of MemPalace holds, and what each of them belongs to. Their file is only read.
 *
 * @param given its folder, or the file itself; absolute
 * @param collection where it is not the usual one
 * @throws UserError `not-found`, `unreadable`, `usage` for a collection that is not there
 */
export function surveyChroma(given: string, collection: string | undefined): ChromaSurvey {
  const file = chromaFile(given);
  const database = openChroma(file);
  try {
    const found = theirDrawers(database, collection);
    const problems = found.unread.map((row) => ({
      origin: file,
      reason: 'row that does not parse',
      detail: row,
      problem: true,
    }));
    return {
      file,
      database,
      collection: found.collection,
      groups: groupDrawers(found.drawers),
      drawers: found.drawers.length,
      dropped: found.dropped,
      problems,
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    if (error instanceof Error && error.name === 'UserError') throw error;
    throw explainChroma(error, file);
  }
}
