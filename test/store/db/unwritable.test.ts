import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, rmdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { storedSchema } from '../../../src/store/db/open.js';
import { readUnwritable } from '../../../src/store/db/unwritable.js';
import { Palace } from '../../../src/store/index.js';
import { fileTexts, TINY_MODEL, temporaryFolder } from '../../support/palace.js';
import { TestEnv } from '../../support/test-env.js';

const isRoot = process.getuid?.() === 0;

/** Mounts a folder read-only elsewhere until the test ends; undefined if that is not allowed. */
function readOnly(folder: string): string | undefined {
  const at = mkdtempSync(join(tmpdir(), 'mempalace-medium-'));
  const mount = (...args: string[]) => spawnSync('mount', args, { stdio: 'ignore' }).status === 0;
  const bound = mount('--bind', folder, at);
  onTestFinished(() => {
    if (bound) execFileSync('umount', [at]);
    rmdirSync(at);
  });
  if (!bound) return undefined;
  return mount('-o', 'remount,ro,bind', at) ? at : undefined;
}

function filled(): string {
  const folder = join(temporaryFolder(), 'palace');
  const palace = Palace.write(folder, TINY_MODEL);
  fileTexts(palace, 'doc:p/a.md', ['the lamps are sold']);
  palace.close();
  return folder;
}

describe.skipIf(!isRoot)('a palace on a read-only medium (mounts need root)', () => {
  it('is read: drawers, words and vectors', async (context) => {
    const env = new TestEnv();
    await env.json('mempalace-docs', [
      env.project('shop', { 'README.md': '# Shop\n\nThe shop sells lamps.\n' }),
    ]);
    const medium = readOnly(env.palace);
    if (medium === undefined) return context.skip('mount is not allowed here');
    for (const args of [
      ['search', 'lamps'],
      ['status'],
      ['wake-up'],
      ['list', 'sources'],
      ['export', '--jsonl'],
    ]) {
      const outcome = await env.run('mempalace', ['--palace', medium, ...args]);
      if (args[0] !== 'export') expect(outcome).toMatchObject({ exitCode: 0 });
      expect(outcome.stderr).not.toContain('bug');
    }
    const { hits } = await env.json('mempalace', ['--palace', medium, 'search', 'what is sold']);
    expect(hits).toMatchObject([{ wing: 'wing_shop' }]);
    expect(storedSchema(medium)).toBe(storedSchema(env.palace));
  });

  it('whose WAL is not empty is refused, with a hint', (context) => {
    const folder = filled();
    writeFileSync(join(folder, 'palace.sqlite3-wal'), 'x');
    const medium = readOnly(folder);
    if (medium === undefined) return context.skip('mount is not allowed here');
    expect(() => Palace.read(medium)).toThrow(
      expect.objectContaining({ code: 'unreadable', hint: expect.stringContaining('--palace') }),
    );
  });

  it('that does not fit into memory is refused, with a hint; a writable one is not read into memory', (context) => {
    const folder = filled();
    expect(readUnwritable(join(folder, 'palace.sqlite3'))).toBeUndefined();
    const medium = readOnly(folder);
    if (medium === undefined) return context.skip('mount is not allowed here');
    expect(() => readUnwritable(join(medium, 'palace.sqlite3'), 4096)).toThrow(/too many for memory/);
    Palace.look(medium, (palace) => expect(palace.drawerCount()).toBe(1));
  });
});

describe.skipIf(isRoot || process.getuid === undefined)(
  'a palace in a folder without write permission',
  () => {
    it('is read', () => {
      const folder = join(temporaryFolder(), 'copy');
      cpSync(filled(), folder, { recursive: true });
      chmodSync(folder, 0o500);
      onTestFinished(() => chmodSync(folder, 0o700));
      Palace.look(folder, (palace) => expect(palace.drawerCount()).toBe(1));
    });
  },
);
