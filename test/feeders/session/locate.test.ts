import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { locateDatabases } from '../../../src/feeders/session/locate.js';
import { resolveFolders } from '../../../src/platform/folders.js';
import { fixture, temporaryFolder } from './helpers.js';

function home(): {
  root: string;
  data: string;
  locate: (env?: NodeJS.ProcessEnv, db?: string[]) => ReturnType<typeof locateDatabases>;
} {
  const root = temporaryFolder();
  const data = join(root, '.local', 'share', 'opencode');
  mkdirSync(data, { recursive: true });
  const locate = (env: NodeJS.ProcessEnv = {}, db: string[] = []) =>
    locateDatabases({ db, env, folders: resolveFolders({ ...env, HOME: root }) });
  return { root, data, locate };
}

function storage(folder: string): string {
  for (const name of ['session', 'message', 'part'])
    mkdirSync(join(folder, 'storage', name), { recursive: true });
  return join(folder, 'storage');
}

describe('locateDatabases', () => {
  it('finds the default database, those of other channels and the older files next to them', () => {
    const { data, locate } = home();
    for (const name of [
      'opencode.db',
      'opencode-dev.db',
      'opencode-beta.db',
      'opencode.db-wal',
      'other.db',
    ]) {
      writeFileSync(join(data, name), '');
    }
    const older = storage(data);
    expect(locate().found).toEqual([
      { path: join(data, 'opencode.db'), kind: 'sqlite' },
      { path: join(data, 'opencode-beta.db'), kind: 'sqlite' },
      { path: join(data, 'opencode-dev.db'), kind: 'sqlite' },
      { path: older, kind: 'json' },
    ]);
  });

  it('names every searched path if there is nothing', () => {
    const { root, data, locate } = home();
    const { found, looked } = locate({ OPENCODE_DB: 'mine.db', OPENCODE_DATA_DIR: join(root, 'x') });
    expect(found).toEqual([]);
    expect(looked).toEqual([
      join(data, 'mine.db'),
      join(root, 'x', 'opencode.db'),
      join(root, 'x', 'opencode-*.db'),
      join(root, 'x', 'storage'),
      join(data, 'opencode.db'),
      join(data, 'opencode-*.db'),
      join(data, 'storage'),
    ]);
  });

  it('uses OPENCODE_DB, relative to the data folder, and each folder of OPENCODE_DATA_DIR', () => {
    const { root, data, locate } = home();
    const others = [join(root, 'a'), join(root, 'b')];
    for (const folder of others) {
      mkdirSync(folder);
      writeFileSync(join(folder, 'opencode.db'), '');
    }
    writeFileSync(join(data, 'mine.db'), '');
    writeFileSync(join(root, 'absolute.db'), '');
    const both = { OPENCODE_DATA_DIR: `${others[0]}, ${others[1]},` };
    expect(locate({ ...both, OPENCODE_DB: 'mine.db' }).found.map(({ path }) => path)).toEqual([
      join(data, 'mine.db'),
      join(root, 'a', 'opencode.db'),
      join(root, 'b', 'opencode.db'),
    ]);
    expect(locate({ OPENCODE_DB: join(root, 'absolute.db') }).found).toEqual([
      { path: join(root, 'absolute.db'), kind: 'sqlite', dataFolder: data },
    ]);
  });

  it('respects XDG_DATA_HOME', () => {
    const { root, locate } = home();
    mkdirSync(join(root, 'xdg', 'opencode'), { recursive: true });
    writeFileSync(join(root, 'xdg', 'opencode', 'opencode.db'), '');
    expect(locate({ XDG_DATA_HOME: join(root, 'xdg') }).found).toHaveLength(1);
  });

  it('lists a file with two names once', () => {
    const { root, data, locate } = home();
    writeFileSync(join(data, 'opencode.db'), '');
    symlinkSync(data, join(root, 'link'));
    const { found } = locate({ OPENCODE_DATA_DIR: join(root, 'link'), OPENCODE_DB: 'opencode.db' });
    expect(found).toEqual([{ path: join(data, 'opencode.db'), kind: 'sqlite' }]);
  });

  it('uses only the given files and folders', () => {
    const { root, data, locate } = home();
    writeFileSync(join(data, 'opencode.db'), '');
    const named = join(root, 'named');
    mkdirSync(named);
    writeFileSync(join(named, 'opencode.db'), '');
    const older = storage(named);
    expect(locate({}, [named]).found.map(({ path }) => path)).toEqual([join(named, 'opencode.db'), older]);
    expect(locate({}, [older, join(data, 'opencode.db')]).found).toEqual([
      { path: join(data, 'opencode.db'), kind: 'sqlite' },
      { path: older, kind: 'json' },
    ]);
    expect(locate({}, [fixture('storage-1.1.65')]).found).toEqual([
      { path: fixture('storage-1.1.65'), kind: 'json' },
    ]);
  });

  it('refuses a missing path', () => {
    const { root, data, locate } = home();
    expect(() => locate({}, [join(root, 'gone.db')])).toThrowError(
      expect.objectContaining({ code: 'not-found', message: expect.stringContaining('gone.db') }),
    );
    expect(() => locate({}, [data])).toThrowError(/contains neither opencode\.db nor storage/);
  });
});
