import { createRequire } from 'node:module';
import type { Database } from 'better-sqlite3';

/** What marks a statement that computes with vectors. */
const NAMES = /\bvec_/;

/** True when SQLite cannot compile the statement without `addVectorFunctions`. */
export function usesVectorFunctions(text: string): boolean {
  return NAMES.test(text);
}

/**
 * Loads sqlite-vec into an open database. Who writes needs it for earlier schemas; for readers it is loaded with the
 * first statement that computes with vectors, which a hook never asks: it starts a tenth quicker.
 */
export function addVectorFunctions(database: Database): void {
  const library: typeof import('sqlite-vec') = createRequire(import.meta.url)('sqlite-vec');
  library.load(database);
}
