import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, describe, expect } from 'vitest';
import { type ChromaRow, makeChroma } from '../support/chroma.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { canMount, expectClear, mountSmall, remountReadonly, unmount } from '../support/small-disk.js';
import { problemsOf } from '../support/soundness.js';
import { TestEnv } from '../support/test-env.js';

const rows: ChromaRow[] = ['a', 'b'].flatMap((name, source) =>
  [0, 1].map((index) => ({
    id: `drawer_shop_docs_${name}${index}`,
    document: `Lamp ${source}${index} of file ${name} hangs ${index} feet above the floor of the hall.`,
    metadata: { wing: 'shop', room: 'docs', source_file: `/x/${name}.md`, chunk_index: index },
  })),
);

let mounted: string | undefined;
afterEach(() => {
  if (mounted === undefined) return;
  remountReadonly(mounted, false);
  unmount(mounted);
  mounted = undefined;
});

describe('mempalace import-chroma of', () => {
  it.each([
    ['an empty file', (file: string) => writeFileSync(file, ''), /is not a palace of MemPalace/],
    [
      'a file without drawers',
      (file: string) => change(file, 'DROP TABLE embedding_metadata'),
      /is not a palace/,
    ],
    [
      'a layout that is not known',
      (file: string) => change(file, 'ALTER TABLE embedding_metadata RENAME string_value TO words'),
      /unknown layout \(embedding_metadata\.string_value is missing\)/,
    ],
    [
      'half a file',
      (file: string) => writeFileSync(file, readFileSync(file).subarray(0, 20_000)),
      /cannot be read/,
    ],
  ])('%s is refused, and no palace is created', async (_, damage, message) => {
    const env = new TestEnv();
    const theirs = makeChroma(join(env.home, 'theirs'), { mempalace_drawers: rows });
    damage(join(theirs, 'chroma.sqlite3'));
    const outcome = await env.run('mempalace', ['import-chroma', theirs]);
    expectClear(outcome);
    expect(outcome.stderr).toMatch(message);
    expect(existsSync(env.palace)).toBe(false);
  });

  it('unreadable rows exits with 3, and keeps what was imported from them before', async ({ env }) => {
    const theirs = makeChroma(join(env.home, 'theirs'), { mempalace_drawers: rows });
    await env.json('mempalace', ['import-chroma', theirs]);
    const whole = texts(env);
    const file = join(theirs, 'chroma.sqlite3');
    copyFileSync(file, join(env.home, 'good'));
    const damages: [string, Record<string, number>][] = [
      [
        `UPDATE embedding_metadata SET string_value = NULL WHERE id = 2 AND key = 'chroma:document'`,
        { 'drawer without a text': 1, 'held back': 1 },
      ],
      [
        `UPDATE embeddings SET embedding_id = x'00' WHERE id = 3`,
        { 'row that does not parse': 1, 'held back': 1 },
      ],
      [
        `UPDATE embeddings SET segment_id = 'gone' WHERE id = 4`,
        { 'row that does not parse': 1, 'held back': 1 },
      ],
    ];
    for (const [damage, reasons] of damages) {
      copyFileSync(join(env.home, 'good'), file);
      change(file, damage);
      const again = await env.json('mempalace', ['import-chroma', theirs], 3);
      expect([damage, again.skipped_by_reason, texts(env)]).toEqual([damage, reasons, whole]);
    }
    expect(problemsOf(env.palace)).toEqual([]);
    // Removals and changes by the owner are imported.
    copyFileSync(join(env.home, 'good'), file);
    change(file, `DELETE FROM embedding_metadata WHERE id = 2; DELETE FROM embeddings WHERE id = 2`);
    expect(await env.json('mempalace', ['import-chroma', theirs])).toMatchObject({
      changed: 1,
      problems: [],
    });
    expect(texts(env)).not.toEqual(whole);
  }, 60_000);

  it('a palace in use includes rows that are only in its WAL', async ({ env }) => {
    const theirs = makeChroma(join(env.home, 'theirs'), { mempalace_drawers: rows.slice(0, 2) });
    const live = new Database(join(theirs, 'chroma.sqlite3'));
    live.pragma('journal_mode = WAL');
    live.pragma('wal_autocheckpoint = 0');
    live.exec(`INSERT INTO embeddings (segment_id, embedding_id, seq_id) VALUES ('mempalace_drawers-metadata', 'new', 1);
      INSERT INTO embedding_metadata SELECT max(id), 'chroma:document', 'The newest lamp.', NULL, NULL, NULL FROM embeddings;
      BEGIN IMMEDIATE; INSERT INTO embeddings (segment_id, embedding_id, seq_id) VALUES ('x', 'half done', 1)`);
    const done = await env.json('mempalace', ['import-chroma', theirs]);
    live.exec('ROLLBACK');
    live.close();
    expect(done).toMatchObject({ new: 2, drawers_read: 3, problems: [] });
    expect(texts(env)).toContain('The newest lamp.');
  });
});

describe.skipIf(!canMount)(
  'mempalace import-chroma of a read-only disk (skipped where none can be mounted)',
  () => {
    it('imports the palace, or explains how to, if a WAL prevents reading', async ({ env }) => {
      mounted = join(env.home, 'theirs');
      mkdirSync(mounted);
      expect(mountSmall(mounted, 20_000)).toBe(true);
      makeChroma(mounted, { mempalace_drawers: rows });
      const file = join(mounted, 'chroma.sqlite3');
      remountReadonly(mounted, true);
      expect(await env.json('mempalace', ['import-chroma', mounted])).toMatchObject({ new: 2, problems: [] });
      remountReadonly(mounted, false);
      // As a killed program leaves it.
      const live = new Database(file);
      live.pragma('journal_mode = WAL');
      live.exec('UPDATE embeddings SET seq_id = 2');
      for (const end of ['', '-wal']) copyFileSync(file + end, join(env.home, `left${end}`));
      live.close();
      for (const end of ['', '-wal']) copyFileSync(join(env.home, `left${end}`), file + end);
      remountReadonly(mounted, true);
      const filed = contentOf(env.palace);
      const outcome = await env.run('mempalace', ['import-chroma', mounted]);
      expectClear(outcome);
      expect(outcome.stderr).toContain('to a writable place');
      expect(contentOf(env.palace)).toEqual(filed);
    });
  },
);

function change(file: string, sql: string): void {
  const raw = new Database(file);
  raw.pragma('foreign_keys = OFF');
  raw.exec(sql);
  raw.close();
}

/** The content of the palace, as text. */
const texts = (env: TestEnv) => JSON.stringify((contentOf(env.palace) as { drawers: unknown }).drawers);
