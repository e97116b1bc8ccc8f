import { createRequire } from 'node:module';
import BetterSqlite3 from 'better-sqlite3';

const require = createRequire(import.meta.url);
const ADDON = resolved('better-sqlite3/build/Release/better_sqlite3.node');

/**
 * better-sqlite3's database with the path of its native addon. Our bundled programs could not find the addon, and
 * better-sqlite3's own search is slow.
 */
export class Database extends BetterSqlite3 {
  /**
   * @param file a path, or the bytes of a database to read from memory
   * @throws what better-sqlite3 throws; `MODULE_NOT_FOUND` when the package is missing although it is bundled
   */
  constructor(file: string | Buffer, options: BetterSqlite3.Options = {}) {
    // Without its addon, better-sqlite3's own error is the best explanation.
    if (ADDON === undefined) require.resolve('better-sqlite3');
    super(file, ADDON === undefined ? options : { ...options, nativeBinding: ADDON });
  }
}

function resolved(path: string): string | undefined {
  try {
    return require.resolve(path);
  } catch {
    return undefined;
  }
}

/** By name: two copies of better-sqlite3 in one process share one addon, which throws the errors of the first. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError';
}
