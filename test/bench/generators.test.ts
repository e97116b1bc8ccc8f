import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execaSync } from 'execa';
import { describe, expect, it } from 'vitest';
import { Palace } from '../../src/store/index.js';
import { temporaryFolder } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';

const bench = (name: string) => fileURLToPath(new URL(`../../bench/${name}`, import.meta.url));

function generate(name: string, out: string, ...more: string[]): Record<string, unknown> {
  return JSON.parse(execaSync(process.execPath, [bench(name), '--out', out, ...more]).stdout);
}

/** Hash of all rows of all tables that contain history. */
function contentOf(file: string): string {
  const hash = createHash('sha256');
  const db = new Database(file, { readonly: true });
  for (const table of ['project', 'session', 'message', 'part']) {
    for (const row of db.prepare(`SELECT * FROM ${table} ORDER BY id`).iterate()) {
      hash.update(JSON.stringify(row));
    }
  }
  db.close();
  return hash.digest('hex');
}

describe('the generated opencode history', () => {
  it("has exactly the seed's numbers", () => {
    const file = join(temporaryFolder(), 'opencode.db');
    const counts = generate('generate-opencode.mjs', file);
    expect(counts).toMatchObject({ sessions: 140, messages: 1491, parts: 4656, qualifying: 62 });
  });

  it('depends only on the seed', () => {
    const folder = temporaryFolder();
    const [first, second, other] = ['a', 'b', 'c'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    generate('generate-opencode.mjs', first, '--scale', '0.1');
    generate('generate-opencode.mjs', second, '--scale', '0.1');
    generate('generate-opencode.mjs', other, '--scale', '0.1', '--seed', '2');
    expect(contentOf(second)).toBe(contentOf(first));
    expect(contentOf(other)).not.toBe(contentOf(first));
  });

  it('has the requested size in one session', () => {
    const file = join(temporaryFolder(), 'opencode.db');
    const made = generate('generate-opencode.mjs', file, '--one-session-mb', '2', '--parts', '200');
    expect(made).toMatchObject({ sessions: 1, parts: 200, qualifying: 1 });
    expect(Number(made.partBytes)).toBeGreaterThan(2 * 1024 * 1024);
  });
});

describe('the generated palace', () => {
  const sizes = ['--drawers', '230', '--embedded', '40'];

  it('is like one that the store makes, and depends only on the seed', () => {
    const parent = temporaryFolder();
    const folders = ['a', 'b'].map((name) => join(parent, name));
    const cache = join(parent, 'made', 'cache');
    for (const folder of folders) generate('generate-palace.mjs', folder, ...sizes, '--cache', cache);
    const contents = folders.map((folder) => {
      const palace = Palace.read(folder);
      expect(problemsIn(palace)).toEqual([]);
      expect(palace.drawerCount()).toBe(230);
      expect(palace.rooms().length).toBeGreaterThan(1);
      const drawers = palace.reading.drawersById(Array.from({ length: 230 }, (_, index) => index + 1));
      palace.close();
      return drawers;
    });
    expect(new Set(contents[0]?.map((drawer) => drawer.text)).size).toBe(230);
    expect(contents[1]).toEqual(contents[0]);
  }, 240_000);
});

describe('node bench/run.mjs', () => {
  it('names its benches', () => {
    const { stdout } = execaSync(process.execPath, [bench('run.mjs'), '--help']);
    for (const name of ['startup', 'unchanged', 'backfill', 'memory', 'search', 'mcp'])
      expect(stdout).toContain(name);
  });

  it('refuses an unknown bench', () => {
    const { exitCode, stderr } = execaSync(process.execPath, [bench('run.mjs'), '--only', 'nothing'], {
      reject: false,
    });
    expect(exitCode).toBe(2);
    expect(stderr).toContain('there is no bench nothing');
  });
});
