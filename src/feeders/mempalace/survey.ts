import type Database from 'better-sqlite3';
import type { Skipped } from '../../core/contract.js';
import { type Group, groupDrawers } from './group.js';
import { chromaFile, explainChroma, openChroma } from './open.js';
import { theirDrawers } from './rows.js';

/** The drawers of a palace of MemPalace at the time of opening. Their texts are read later. */
export interface ChromaSurvey {
  /** Absolute. */
  file: string;
  database: Database.Database;
  /** Null for a version without collections. */
  collection: string | null;
  groups: Group[];
  drawers: number;
  /** Numbers of other rows, by kind. */
  dropped: Record<string, number>;
  problems: Skipped[];
  close(): void;
}

/**
 * @param given folder of the palace, or its file; absolute
 * @param wanted the collection, if not the default one
 * @throws UserError `not-found`, `unreadable`, `usage` for a collection that does not exist
 */
export function surveyChroma(given: string, wanted: string | undefined): ChromaSurvey {
  const file = chromaFile(given);
  const database = openChroma(file);
  try {
    const { collection, drawers, dropped, unread } = theirDrawers(database, wanted);
    const reason = 'row that does not parse';
    const problems = unread.map((detail) => ({ origin: file, reason, detail, problem: true }));
    const groups = groupDrawers(drawers);
    const close = () => database.close();
    return { file, database, collection, groups, drawers: drawers.length, dropped, problems, close };
  } catch (error) {
    database.close();
    if (error instanceof Error && error.name === 'UserError') throw error;
    throw explainChroma(error, file);
  }
}
