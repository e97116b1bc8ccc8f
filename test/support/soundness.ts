import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { Palace, palaceExists, palaceFile } from '../../src/store/index.js';

/** The findings of a full check of an open palace. */
export function problemsIn(palace: Palace): string[] {
  return palace.check({ full: true }).problems.map(({ text }) => text);
}

/**
 * The problems of the palace in a folder; empty if there is no palace yet. It must be empty after a program
 * was killed at any moment.
 */
export function problemsOf(folder: string): string[] {
  if (!palaceExists(folder)) return [];
  const raw = new Database(palaceFile(folder));
  sqliteVec.load(raw);
  try {
    if (raw.pragma('user_version', { simple: true }) === 0) return [];
    // Compares the index with the rows term by term, and throws.
    raw.exec("INSERT INTO lexical_index(lexical_index, rank) VALUES ('integrity-check', 1)");
  } finally {
    raw.close();
  }
  return Palace.look(folder, problemsIn);
}
