import { copyFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { expect } from 'vitest';
import { createPalace } from '../../src/store/db/migrations/1-palace.js';
import { inspectPalace, keptBackups, Palace, palaceFile } from '../../src/store/index.js';
import { earlierPalaces } from '../support/earlier-palaces.js';
import { it } from '../support/it.js';
import { hashOf, TINY_MODEL, temporaryFolder, vectorOf } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';

const TEXTS = ['rounding happens before tax', 'the cart is empty', '東京都の天気は晴れです', 'gone'];

/** A palace of version 1, with a free slot in its vec0 table. */
function firstPalace(): string {
  const folder = temporaryFolder();
  const database = new Database(palaceFile(folder));
  sqliteVec.load(database);
  createPalace(database, TINY_MODEL.dimension);
  database.exec(`
    INSERT INTO meta VALUES ('model', '${TINY_MODEL.id}@${TINY_MODEL.revision}/${TINY_MODEL.dimension}');
    INSERT INTO runs(id, command, scope, narrowed, versions, started_ms) VALUES (1, 'mine', '{}', 0, '{}', 0);
    INSERT INTO sources(id, source_key, source_file, origin, kind, wing, room, source_mtime, bytes, hash, versions,
      ingest_mode, chars, drawers, run_id, filed_at)
    VALUES (1, 'doc:p/a.md', 'mempalace-docs/wing_a/p/a.md', '/p/a.md', 'document', 'wing_a', 'general', 0, 1, 'h',
      'v', 'docs', 1, 3, 1, '');
  `);
  TEXTS.forEach((text, index) => {
    const id = index + 1;
    const free = text === 'gone';
    database.prepare('INSERT INTO vectors VALUES (?, ?)').run(id, free ? null : hashOf(text));
    database
      .prepare('INSERT INTO vector_index(rowid, embedding) VALUES (?, ?)')
      .run(BigInt(id), Buffer.from(vectorOf(text).buffer));
    if (free) return;
    database
      .prepare(
        `INSERT INTO drawers(id, drawer_id, source_id, vector_id, chunk_index, char_start, char_end, line_start,
           line_end, content_date, added_by, run_id, filed_at, text, title, context, place)
         VALUES (?, ?, 1, ?, ?, 0, 1, 1, 1, ?, 'test', 1, '', ?, '', '', 'a.md')`,
      )
      .run(id, `drawer_${id}`, id, index, index === 1 ? '2026-03-02' : null, text);
  });
  database.pragma('user_version = 1');
  database.close();
  return folder;
}

it.each(['read', 'write'] as const)('a palace of version 1 is complete after it is opened to %s', (how) => {
  const folder = firstPalace();
  const palace = how === 'read' ? Palace.read(folder) : Palace.write(folder, TINY_MODEL);
  expect(problemsIn(palace)).toEqual([]);
  const [nearest] = palace.vectors.nearest(vectorOf('the cart is empty'), 1);
  expect(nearest?.cosine).toBeCloseTo(1, 4);
  expect(palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text).toBe('the cart is empty');
  expect(palace.lexical.candidates({ words: ['rounds'] }, 5)).toEqual([1]);
  expect(palace.lexical.candidates({ words: ['天気'] }, 5)).toEqual([3]);
  expect(palace.lexical.candidates({ words: ['march'] }, 5)).toEqual([2]);
  if (how === 'write') {
    palace.facts.addEntity({ id: 'shop', name: 'Shop' }, '2026-01-01T00:00:00.000Z');
    expect(palace.facts.entity('shop')).toEqual({ id: 'shop', name: 'Shop' });
  }
  expect(palace.facts.all()).toEqual([]);
  palace.close();
  const [kept] = keptBackups(folder);
  expect(kept?.reason).toBe('migration');
  expect(inspectPalace(kept?.file ?? '')).toMatchObject({ schema: 1, sources: 1, drawers: 3 });
});

it('a palace of version 1 gets the kinds of its texts, and opens with a text that is damaged', () => {
  const folder = firstPalace();
  const raw = new Database(palaceFile(folder));
  const put = raw.prepare(
    `INSERT INTO sources(source_key, source_file, origin, kind, wing, room, source_mtime, bytes, hash, versions,
       ingest_mode, chars, drawers, run_id, filed_at)
     VALUES (?, '', '', ?, 'wing_a', 'general', 0, 1, 'h', 'v', 'docs', 1, 0, 1, '') RETURNING id`,
  );
  const file = (key: string, kind: string, body: Buffer) => {
    const id = put.pluck().get(key, kind);
    raw.prepare('INSERT INTO source_texts VALUES (?, 0, ?, ?)').run(id, hashOf(key), body);
  };
  file('doc:p/docs/reference/a.md', 'document', deflateRawSync('---\ntype: Note\n---\n# A\n\nText.\n'));
  file('doc:p/b.md', 'document', deflateRawSync('<!-- DO NOT EDIT -->\n'));
  file('doc:p/c.yml', 'document', Buffer.from('damaged'));
  file('opencode:s', 'conversation', deflateRawSync('Hello'));
  raw.close();
  Palace.look(folder, (palace) => {
    const kinds = Object.fromEntries(
      [...palace.sources.ofKind('document').values(), ...palace.sources.ofKind('conversation').values()].map(
        ({ sourceKey, textKind }) => [sourceKey, textKind],
      ),
    );
    expect(kinds).toEqual({
      'doc:p/a.md': 'prose',
      'doc:p/docs/reference/a.md': 'reference',
      'doc:p/b.md': 'generated',
      'doc:p/c.yml': null,
      'opencode:s': null,
    });
    const declaring = palace.listing.sources({ type: 'note' }, { limit: 9, offset: 0 });
    expect(declaring.map(({ sourceKey }) => sourceKey)).toEqual(['doc:p/docs/reference/a.md']);
  });
});

it('the backup before a migration is a palace that can be migrated itself', () => {
  const folder = firstPalace();
  Palace.read(folder).close();
  const elsewhere = temporaryFolder();
  copyFileSync(keptBackups(folder)[0]?.file ?? '', palaceFile(elsewhere));
  const palace = Palace.write(elsewhere, TINY_MODEL, { backup: false });
  expect(problemsIn(palace)).toEqual([]);
  const [nearest] = palace.vectors.nearest(vectorOf('the cart is empty'), 1);
  expect(palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text).toBe('the cart is empty');
  palace.close();
  expect(keptBackups(elsewhere)).toEqual([]);
});

it('a stored question of version 8 excludes what it excluded, and its drawers wait for their further words', ({
  folder,
}) => {
  earlierPalaces()
    .find(({ version }) => version === 8)
    ?.layInto(folder);
  const raw = new Database(palaceFile(folder));
  const put = raw.prepare(
    "INSERT INTO collections(name, question, filter, most, min_score, made_at) VALUES (?, ?, '{}', 9, 0, '')",
  );
  put.run('money', 'money -draft, -"a b" well-known -1.5');
  put.run('plain', 'a - b');
  put.run('none', null);
  raw.close();
  Palace.look(folder, ({ collections, renewal }) => {
    expect(Object.fromEntries(collections.all().map(({ name, question }) => [name, question]))).toEqual({
      money: 'money -"draft" -"a b" well-known -"1.5"',
      plain: 'a - b',
      none: null,
    });
    expect(renewal.progress()).toMatchObject({ percent: 0 });
  });
});
