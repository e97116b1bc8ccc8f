import { createRequire } from 'node:module';
import BetterSqlite3 from 'better-sqlite3';

const require = createRequire(import.meta.url);
const ADDON = resolved('better-sqlite3/build/Release/better_sqlite3.node');

/**
 * better-sqlite3's database. It is told where its native part lies, which the programs that are joined into few files
 * could not find, and which it takes a while to find itself.
 */
export class Database extends BetterSqlite3 {
  /**
   * @param file or the bytes of one, to be read from memory
   * @throws what better-sqlite3 throws; `MODULE_NOT_FOUND` where the package is missing although it is joined
   */
  constructor(file: string | Buffer, options: BetterSqlite3.Options = {}) {
    // Without its native part better-sqlite3 says best itself what is wrong.
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

/** By name: two copies of better-sqlite3 in one process share a native part, which throws the errors of the first. */
export function isSqliteError(error: unknown): error is Error & { code: string } {
  return error instanceof Error && error.name === 'SqliteError';
}
