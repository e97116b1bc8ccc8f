import { messageOf } from '../../core/errors.js';
import type { DoctorContext } from './context.js';
import { rebuildCure, reinstallCure } from './cure.js';
import { type Finding, fail, ok } from './finding.js';

/** Opens a database in memory with better-sqlite3, and computes a distance with sqlite-vec. */
export async function checkNative(context: DoctorContext): Promise<Finding[]> {
  let database: import('better-sqlite3').Database;
  let version: string;
  try {
    const { Database } = await import('../../platform/sqlite.js');
    database = new Database(':memory:');
    version = String(database.prepare('SELECT sqlite_version()').pluck().get());
  } catch (error) {
    return [nativeFailure('better-sqlite3', error, context.root)];
  }
  context.sqlite = true;
  try {
    return [
      ok('better-sqlite3', `opens a database, SQLite ${version}`),
      await vectorFinding(database, context),
    ];
  } finally {
    database.close();
  }
}

async function vectorFinding(
  database: import('better-sqlite3').Database,
  { root }: DoctorContext,
): Promise<Finding> {
  try {
    const sqliteVec = await import('sqlite-vec');
    sqliteVec.load(database);
    const distance = Number(database.prepare("SELECT vec_distance_cosine('[3, 4]', '[4, 3]')").pluck().get());
    // 1 - 24/25
    if (Math.abs(distance - 0.04) > 1e-5)
      return fail('sqlite-vec', `computes wrong distances (${distance}, not 0.04)`, reinstallCure(root));
    const version = String(database.prepare('SELECT vec_version()').pluck().get());
    return ok('sqlite-vec', `computes distances, ${version}`);
  } catch (error) {
    const { detail } = nativeFailure('sqlite-vec', error, root);
    return fail('sqlite-vec', detail, reinstallCure(root));
  }
}

/** Each way in which a native module fails to load, in its word. */
export function nativeFailure(module: string, error: unknown, root: string): Finding {
  const message = messageOf(error).split('\n')[0] ?? '';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return fail(module, 'is not installed', reinstallCure(root));
  if (/Could not locate the bindings file/i.test(message))
    return fail(module, 'was never compiled: its native part is missing', rebuildCure(root, module));
  if (code === 'ERR_DLOPEN_FAILED') {
    const other = /NODE_MODULE_VERSION (\d+)/.exec(messageOf(error))?.[1];
    if (other !== undefined && other !== process.versions.modules) {
      return fail(
        module,
        `was built for another Node (ABI ${other}; this one, ${process.versions.node}, has ${process.versions.modules})`,
        rebuildCure(root, module),
      );
    }
    return fail(module, `its native part cannot be loaded: ${message}`, rebuildCure(root, module));
  }
  return fail(module, `does not work: ${message}`, rebuildCure(root, module));
}
