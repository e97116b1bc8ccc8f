import { existsSync } from 'node:fs';
import { arch, platform, release } from 'node:os';
import { messageOf, UserError } from '../../core/errors.js';
import { type DoctorContext, type Found, fail, ok } from './context.js';
import { rebuildCure, reinstallCure } from './cure.js';

const LEAST_NODE = 20;

export function checkVersions({ version }: DoctorContext): Found[] {
  return [
    ok(version, 'mempalace-toolkit'),
    nodeFinding(process.versions.node, process.versions.modules, process.execPath),
    ok(`${platform()} ${arch()}, ${release()}`, 'platform'),
  ];
}

/** @param abi the ABI for which native modules are built */
export function nodeFinding(version: string, abi: string, path: string): Found {
  const detail = `${version} (ABI ${abi}), ${path}`;
  if (Number(version.split('.')[0]) >= LEAST_NODE) return ok(detail, 'node');
  const next = `install Node ${LEAST_NODE} or newer, then run ./install.sh`;
  return fail(`${detail}: older than ${LEAST_NODE}`, next, 'node');
}

/**
 * A malformed configuration file is a finding; the other checks continue with the defaults.
 *
 * @throws UserError `usage` for a flag
 */
export async function checkConfiguration(context: DoctorContext): Promise<Found[]> {
  const { configPath, loadConfig } = await import('../../config/index.js');
  const { env, folders, palaceFlag } = context;
  const path = configPath(env, folders);
  try {
    context.config = await loadConfig({ env, folders, flags: { palace: palaceFlag } });
    context.palace = context.config.palace;
    return [ok(existsSync(path) ? path : `none at ${path}: the defaults apply`)];
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'config') throw error;
    const hint = error.hint ?? 'mempalace config schema shows how';
    return [fail(error.message, `correct it: ${hint}`)];
  }
}

export async function checkNative(context: DoctorContext): Promise<Found[]> {
  const { root } = context;
  const findings: Found[] = [];
  let database: import('better-sqlite3').Database | undefined;
  try {
    const { Database } = await import('../../platform/sqlite.js');
    const memory = new Database(':memory:');
    database = memory;
    const ask = (sql: string) => memory.prepare(sql).pluck().get();
    const sqlite = ask('SELECT sqlite_version()');
    findings.push(ok(`opens a database, SQLite ${sqlite}`, 'better-sqlite3'));
    context.sqlite = true;
    const sqliteVec = await import('sqlite-vec');
    sqliteVec.load(memory);
    const distance = Number(ask("SELECT vec_distance_cosine('[3, 4]', '[4, 3]')"));
    const version = ask('SELECT vec_version()');
    findings.push(
      // 1 - 24/25
      Math.abs(distance - 0.04) > 1e-5
        ? fail(`computes wrong distances (${distance}, not 0.04)`, reinstallCure(root), 'sqlite-vec')
        : ok(`computes distances, ${version}`, 'sqlite-vec'),
    );
  } catch (error) {
    findings.push(nativeFailure(context.sqlite ? 'sqlite-vec' : 'better-sqlite3', error, root));
  } finally {
    database?.close();
  }
  return findings;
}

export function nativeFailure(module: string, error: unknown, root: string): Found {
  const message = messageOf(error).split('\n')[0] ?? '';
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND')
    return fail('is not installed', reinstallCure(root), module);
  const detail = () => {
    if (/Could not locate the bindings file/i.test(message))
      return 'was never compiled: its native part is missing';
    if (code !== 'ERR_DLOPEN_FAILED') return `does not work: ${message}`;
    const built = /NODE_MODULE_VERSION (\d+)/.exec(messageOf(error))?.[1];
    const { node, modules } = process.versions;
    return built === undefined || built === modules
      ? `its native part cannot be loaded: ${message}`
      : `was built for another Node (ABI ${built}; this one, ${node}, has ${modules})`;
  };
  return fail(detail(), module === 'better-sqlite3' ? rebuildCure(root) : reinstallCure(root), module);
}
