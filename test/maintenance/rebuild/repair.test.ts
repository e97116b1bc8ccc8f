import { readFileSync, writeFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { type RepairResult, repair } from '../../../src/maintenance/rebuild/repair.js';
import { type Palace, palaceFile } from '../../../src/store/index.js';
import { contentOf } from '../../support/drawers.js';
import { type CountingEmbedder, countingEmbedder } from '../../support/embedder.js';
import { fileTexts, temporaryPalace, vectorOf } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';
import { fileSession } from '../../support/worked-sessions.js';

const TEXTS = Array.from({ length: 40 }, (_, i) => `passage ${i} tells of otter${i} and the river`);

/** An intact palace and its content. */
function filled(): { palace: Palace; content: unknown } {
  const palace = temporaryPalace();
  fileTexts(palace, 'doc:p/a', TEXTS.slice(0, 20));
  fileTexts(palace, 'doc:p/b', TEXTS.slice(20));
  palace.tidy();
  expect(problemsIn(palace)).toEqual([]);
  return { palace, content: contentOf(palace.folder) };
}

/** Damages a palace by SQL without constraints. */
function damage(palace: Palace, ...statements: string[]): void {
  for (const sql of statements) {
    const database = new Database(palaceFile(palace.folder));
    sqliteVec.load(database);
    database.unsafeMode(true);
    database.pragma('foreign_keys = OFF');
    database.exec(sql);
    database.pragma('wal_checkpoint(TRUNCATE)');
    database.close();
  }
}

/** Overwrites the first page of a table or index, so that its content is unreachable. */
function destroy(palace: Palace, name: string): Palace {
  const file = palaceFile(palace.folder);
  const database = new Database(file);
  const page = Number(database.pragma('page_size', { simple: true }));
  const root = Number(
    database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').pluck().get(name),
  );
  database.pragma('wal_checkpoint(TRUNCATE)');
  database.close();
  palace.close();
  const bytes = readFileSync(file);
  bytes.fill(0xab, (root - 1) * page, root * page);
  writeFileSync(file, bytes);
  const broken = temporaryPalace(palace.folder);
  expect(root).toBeGreaterThan(1);
  return broken;
}

function repaired(palace: Palace, embedder: CountingEmbedder = countingEmbedder()): Promise<RepairResult> {
  return repair({ palace, embedder: async () => embedder, compact: true });
}

describe('a repair', () => {
  it('of an intact palace changes no content, and embeds nothing', async () => {
    const { palace, content } = filled();
    const embedder = countingEmbedder();
    expect(await repaired(palace, embedder)).toMatchObject({ problems: [], left: [], vectorsLost: 0 });
    expect(embedder.texts).toEqual([]);
    expect(contentOf(palace.folder)).toEqual(content);
  });

  it.each([
    ['codes that are gone', 'DELETE FROM codes', /^1 block of codes/],
    ['codes that are others', 'UPDATE codes SET codes = zeroblob(length(codes))', /^1 block of codes/],
    [
      'a drawer that the lexical index has not',
      `INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place, dates, bigrams)
       SELECT 'delete', id, text, title, context, place, dates, bigrams FROM drawers WHERE id = 3`,
      /^40 drawers, 39 lexical entries/,
    ],
    [
      'a drawer of which it has other words',
      `INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place, dates, bigrams)
       SELECT 'delete', id, text, title, context, place, dates, bigrams FROM drawers WHERE id = 3;
       INSERT INTO lexical_index(rowid, text) VALUES (3, 'heron')`,
      /does not contain the words of the drawers/,
    ],
    [
      'a lexical index that cannot be read',
      'UPDATE lexical_index_data SET block = zeroblob(50) WHERE id = (SELECT max(id) FROM lexical_index_data)',
      /fts5|lexical/,
    ],
  ])('fixes %s', async (_, sql, problem) => {
    const { palace, content } = filled();
    damage(palace, sql);
    const { problems, left, vectorsLost } = await repaired(palace);
    expect(problems.join('\n')).toMatch(problem);
    expect({ left, vectorsLost }).toEqual({ left: [], vectorsLost: 0 });
    expect(palace.lexical.candidates({ words: ['otter3'] }, 5)).toHaveLength(1);
    expect(contentOf(palace.folder)).toEqual(content);
  });

  it("fixes one of SQLite's own indexes that differs from its table", async () => {
    const { palace } = filled();
    const database = new Database(palaceFile(palace.folder), { readonly: true });
    const [root, sql] = database
      .prepare<[], [number, string]>(
        "SELECT rootpage, sql FROM sqlite_master WHERE name = 'drawers_by_source'",
      )
      .raw()
      .get() as unknown as [number, string];
    database.close();
    // A row is changed while the schema lacks the index.
    damage(
      palace,
      "PRAGMA writable_schema = ON; DELETE FROM sqlite_master WHERE name = 'drawers_by_source'",
      'UPDATE drawers SET chunk_index = 99 WHERE id = 7',
      `PRAGMA writable_schema = ON;
       INSERT INTO sqlite_master VALUES ('index', 'drawers_by_source', 'drawers', ${root}, '${sql}')`,
    );
    expect(palace.check({ full: true }).problems.map(({ kind }) => kind)).toContain('index');
    expect(await repaired(palace)).toMatchObject({ reindexed: true, left: [] });
  });

  it.each(['lexical_index_data', 'lexical_index_idx', 'lexical_index_docsize', 'codes', 'drawers_by_source'])(
    'cures %s when its pages are destroyed',
    async (name) => {
      const { palace, content } = filled();
      const broken = destroy(palace, name);
      const { problems, left } = await repaired(broken);
      expect(problems.length).toBeGreaterThan(0);
      expect(left).toEqual([]);
      expect(contentOf(palace.folder)).toEqual(content);
      expect(broken.lexical.candidates({ words: ['otter3'] }, 5)).toHaveLength(1);
      fileTexts(broken, 'doc:p/new', ['a heron came later']);
      broken.remove(broken.sources.byKey('doc:p/a')?.id ?? 0);
      broken.tidy();
      expect(problemsIn(broken)).toEqual([]);
    },
  );

  it.each(['touched_files', 'failures', 'touched_files_by_name', 'failures_by_signature'])(
    'derives what sessions did again after damage to %s',
    async (name) => {
      const palace = temporaryPalace();
      const failing = ['Bash', { command: 'npm test' }, 'Exit code 1\nprices differ'] as const;
      const edit = ['Edit', { file_path: 'src/cart.ts', old_string: 'a', new_string: 'b' }] as const;
      for (const id of ['a', 'b'])
        await fileSession(palace, { id }, [failing, edit, ['Bash', { command: 'npm test' }]]);
      palace.tidy();
      const content = contentOf(palace.folder);
      expect(content).toMatchObject({ touched: [{}, {}], failures: [{}, {}] });
      const broken = destroy(palace, name);
      expect(problemsIn(broken).length).toBeGreaterThan(0);
      expect(await repaired(broken)).toMatchObject({ left: [] });
      expect(contentOf(broken.folder)).toEqual(content);
    },
  );

  it('completes a repair that was killed before it rewrote the file', async () => {
    const { palace, content } = filled();
    palace.replaceIndexes();
    expect(palace.check({ full: true }).problems).toContainEqual(expect.objectContaining({ kind: 'index' }));
    expect(await repaired(palace)).toMatchObject({ left: [] });
    expect(contentOf(palace.folder)).toEqual(content);
  });

  it('without space to rewrite the file reports the required space', async () => {
    const broken = destroy(filled().palace, 'lexical_index_data');
    const options = { palace: broken, embedder: async () => countingEmbedder(), compact: false };
    await expect(repair(options)).rejects.toMatchObject({
      code: 'failed',
      hint: expect.stringContaining('make room'),
    });
  });

  it.each([
    ['a vector is gone', 'DELETE FROM embeddings WHERE vector_id IN (2, 5)', 2],
    ['a slot is gone', 'DELETE FROM vectors WHERE id = 4', 1],
    ['a slot is free', 'UPDATE vectors SET text_hash = NULL WHERE id = 4', 1],
    ['a vector is cut', 'UPDATE embeddings SET embedding = zeroblob(8) WHERE vector_id = 9', 1],
    [
      'a vector has no length',
      'UPDATE embeddings SET embedding = zeroblob(length(embedding)) WHERE vector_id = 9',
      1,
    ],
    [
      'a vector is too long, in the right direction',
      'UPDATE embeddings SET embedding = vec_add(embedding, embedding) WHERE vector_id = 9',
      1,
    ],
    ['all are gone', 'DELETE FROM embeddings; DELETE FROM vectors; DELETE FROM codes', 40],
  ])('embeds again if %s', async (_, sql, lost) => {
    const { palace, content } = filled();
    damage(palace, sql);
    const embedder = countingEmbedder();
    const result = await repaired(palace, embedder);
    expect(result).toMatchObject({ left: [], vectorsLost: lost, vectorsRestored: lost });
    expect(result.problems.length).toBeGreaterThan(0);
    expect(embedder.texts).toHaveLength(lost);
    expect(contentOf(palace.folder)).toEqual(content);
    for (const text of TEXTS) {
      const [nearest] = palace.vectors.nearest(vectorOf(text), 1);
      expect(palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text).toBe(text);
    }
  });

  it('without a model does the rest, and reports that', async () => {
    const { palace } = filled();
    damage(palace, 'DELETE FROM codes; DELETE FROM embeddings WHERE vector_id = 2');
    const missing = new UserError('not-found', 'the model is not pulled', { hint: 'pull it' });
    const result = await repair({ palace, embedder: () => Promise.reject(missing), compact: false });
    expect(result).toMatchObject({ vectorsLost: 1, vectorsRestored: 0, withoutModel: missing });
    expect(result.left).toEqual(['40 vectors, 39 of them kept']);
    expect(await repaired(palace)).toMatchObject({ vectorsRestored: 1, left: [] });
  });

  it('keeps the finished vectors when it is stopped', async () => {
    const { palace } = filled();
    fileTexts(
      palace,
      'doc:p/c',
      Array.from({ length: 300 }, (_, i) => `further ${i}`),
    );
    damage(palace, 'DELETE FROM embeddings');
    const controller = new AbortController();
    const embedder = countingEmbedder((call) => {
      if (call === 2) controller.abort(new UserError('interrupted', 'interrupted'));
    });
    const options = { palace, embedder: async () => embedder, compact: true, signal: controller.signal };
    await expect(repair(options)).rejects.toMatchObject({ code: 'interrupted' });
    expect(palace.drawerVectors.countLost()).toBe(340 - 256);
    expect(await repaired(palace)).toMatchObject({ vectorsRestored: 84, left: [] });
  });

  it('refuses damaged rows with their table and a hint, without a change', async () => {
    const { palace } = filled();
    const broken = destroy(palace, 'source_texts');
    const file = palaceFile(palace.folder);
    const bytes = readFileSync(file);
    let changing = false;
    const beforeChange = () => {
      changing = true;
    };
    const options = { palace: broken, embedder: async () => countingEmbedder(), compact: true, beforeChange };
    await expect(repair(options)).rejects.toMatchObject({
      code: 'palace-damaged',
      message: expect.stringContaining('source_texts'),
      hint: expect.stringContaining('mempalace restore --last'),
    });
    expect(changing).toBe(false);
    broken.close();
    // Opening for writing increments a counter in the header, on the first page.
    expect(readFileSync(file).subarray(8_192).equals(bytes.subarray(8_192))).toBe(true);
  });

  it('returns the free pages of removed sources', async () => {
    const { palace } = filled();
    const text = (i: number) => `${'word'.repeat(400)} ${i}`;
    for (let i = 0; i < 60; i += 1) fileTexts(palace, `doc:p/n${i}`, [text(i), text(i + 1000)]);
    for (let i = 0; i < 60; i += 2) palace.remove(palace.sources.byKey(`doc:p/n${i}`)?.id ?? 0);
    palace.tidy();
    const before = palace.bytes();
    expect(palace.unusedBytes()).toBeGreaterThan(50_000);
    expect(await repaired(palace)).toMatchObject({ left: [] });
    expect(palace.bytes()).toBeLessThan(before);
  });
});

describe('a check that is not full', () => {
  it('finds missing parts, and names the checks for which it had no time', () => {
    const { palace } = filled();
    expect(palace.check()).toEqual({ problems: [], unchecked: [] });
    expect(palace.check({ budgetMs: -1 }).unchecked).toContain('drawers');
    damage(palace, 'DELETE FROM embeddings WHERE vector_id = 1');
    expect(palace.check().problems).toContainEqual({ kind: 'vectors', text: '40 vectors, 39 of them kept' });
  });
});
