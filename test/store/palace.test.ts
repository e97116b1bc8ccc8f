import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { conditionOf, Palace, palaceFile } from '../../src/store/index.js';
import { drawerIds } from '../support/drawers.js';
import { it } from '../support/it.js';
import {
  fileTexts,
  filingOf,
  hashOf,
  TINY_MODEL,
  temporaryFolder,
  temporaryPalace,
  vectorOf,
} from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';

describe('the palace file', () => {
  it('is private for any umask', () => {
    const umask = process.umask(0);
    try {
      const folder = join(temporaryFolder(), 'deep', 'palace');
      temporaryPalace(folder);
      expect(statSync(folder).mode & 0o777).toBe(0o700);
      for (const suffix of ['', '-wal', '-shm']) {
        expect(statSync(palaceFile(folder) + suffix).mode & 0o777).toBe(0o600);
      }
    } finally {
      process.umask(umask);
    }
  });

  it('has statistics for the query planner from a thousand drawers on, since those of a small palace make it scan later', ({
    palace,
  }) => {
    const analysed = () => {
      const database = new Database(palaceFile(palace.folder));
      const rows = database.prepare("SELECT stat FROM sqlite_stat1 WHERE idx = 'drawers_by_source'").all();
      database.close();
      return rows;
    };
    fileTexts(palace, 'doc:p/a.md', ['one']);
    const earlier = new Database(palaceFile(palace.folder));
    earlier.exec('ANALYZE');
    earlier.close();
    expect(analysed()).toHaveLength(1);
    palace.tidy();
    expect(analysed()).toEqual([]);
    fileTexts(
      palace,
      'doc:p/b.md',
      Array.from({ length: 1_000 }, (_, n) => `drawer ${n}`),
    );
    palace.tidy();
    expect(analysed()).toHaveLength(1);
  });

  it('finds the kind of a text when it is filed', ({ palace }) => {
    fileTexts(palace, 'doc:p/a.md', ['one']);
    const kindOf = (key: string, text: string, kind: 'document' | 'conversation' = 'document') => {
      palace.sources.put(filingOf(key, [text], { kind }), { id: 1, now: '' });
      return palace.sources.byKey(key)?.textKind;
    };
    expect(kindOf('doc:p/a.md', 'Why the port is 8443.')).toBe('prose');
    expect(kindOf('doc:p/a.md', '<!-- DO NOT EDIT -->')).toBe('generated');
    expect(kindOf('doc:p/.github/workflows/a.yml', 'on: push')).toBe('config');
    expect(kindOf('opencode:s', 'Hello', 'conversation')).toBeNull();
    const [drawer] = palace.reading.drawersById([1]);
    expect(drawer?.textKind).toBe('generated');
  });

  it('refuses a palace of a later version, and does not change it', ({ palace }) => {
    const { folder } = palace;
    palace.close();
    const raw = new Database(palaceFile(folder));
    raw.pragma('user_version = 999');
    raw.close();
    expect(() => Palace.write(folder, TINY_MODEL)).toThrowError(/schema version 999/);
    expect(() => Palace.read(folder)).toThrowError(/schema version 999/);
  });

  it('describes a file that is not a palace', ({ folder }) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      palaceFile(folder),
      'this is not a database, but it is long enough to be looked at '.repeat(50),
    );
    expect(() => Palace.read(folder)).toThrowError(/not a readable palace/);
  });

  it('never mixes the vectors of two models', () => {
    const { folder } = temporaryPalace();
    expect(() => Palace.write(folder, { ...TINY_MODEL, revision: '2' })).toThrowError(/tiny@1\/8/);
  });

  it('writes durably: full synchronous, write-ahead log, secure delete', ({ palace }) => {
    const file = palaceFile(palace.folder);
    fileTexts(palace, 'a', ['xylophone quartz memory']);
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.tidy();
    palace.close();
    const raw = new Database(file);
    expect(raw.pragma('journal_mode', { simple: true })).toBe('wal');
    raw.close();
    expect(statSync(file).size).toBeGreaterThan(0);
    for (const word of ['xylophone', 'xylophon']) expect(readFileSync(file).includes(word)).toBe(false);
  });
});

describe('filing', () => {
  it('keeps the drawers of unchanged texts, in any position', ({ palace }) => {
    expect(fileTexts(palace, 'a', ['one', 'two', 'three'])).toEqual({
      added: 3,
      removed: 0,
      kept: 0,
      pending: [],
    });
    const before = idsByText(palace, 'a');
    expect(fileTexts(palace, 'a', ['zero', 'one', 'three', 'four'])).toEqual({
      added: 2,
      removed: 1,
      kept: 2,
      pending: [],
    });
    const after = idsByText(palace, 'a');
    expect(after.get('one')).toBe(before.get('one'));
    expect(after.get('three')).toBe(before.get('three'));
    expect(problemsIn(palace)).toEqual([]);
  });

  it('distinguishes identical texts of a source', ({ palace }) => {
    expect(fileTexts(palace, 'a', ['same', 'same', 'same']).added).toBe(3);
    expect(fileTexts(palace, 'a', ['same', 'same'])).toEqual({ added: 0, removed: 1, kept: 2, pending: [] });
  });

  it('stores one vector per text, and frees it with its last drawer', ({ palace }) => {
    fileTexts(palace, 'a', ['shared', 'own']);
    fileTexts(palace, 'b', ['shared']);
    expect(palace.vectors.nearest(vectorOf('shared'), 10)).toHaveLength(2);
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.tidy();
    expect(palace.vectors.has(hashOf('shared'))).toBe(true);
    expect(palace.vectors.has(hashOf('own'))).toBe(false);
    expect(palace.vectors.nearest(vectorOf('own'), 10)).toHaveLength(1);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('keeps the vector of a text that moves to another source within a run', ({ palace }) => {
    fileTexts(palace, 'a', ['wanders', 'stays']);
    fileTexts(palace, 'a', ['stays']);
    expect(palace.vectors.has(hashOf('wanders'))).toBe(true);
    palace.tidy();
    expect(palace.vectors.has(hashOf('wanders'))).toBe(false);
  });

  it('gives a drawer a new vector if its text is embedded in another form', ({ palace }) => {
    fileTexts(palace, 'a', ['one']);
    const filing = filingOf('a', ['one']);
    const drafts = filing.drafts.map((draft) => ({ ...draft, vectorHash: hashOf('passage: one') }));
    palace.vectors.keep(
      [{ hash: hashOf('passage: one'), embedding: vectorOf('passage: one') }],
      palace.model,
    );
    palace.file({ ...filing, drafts }, { id: 1, now: '' });
    palace.tidy();
    expect(palace.vectors.has(hashOf('one'))).toBe(false);
    const [nearest] = palace.vectors.nearest(vectorOf('passage: one'), 1);
    expect(palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text).toBe('one');
    expect(problemsIn(palace)).toEqual([]);
  });

  it('files texts without a vector, which become visible together', ({ palace }) => {
    fileTexts(palace, 'a', ['one', 'shared']);
    const run = { id: 1, now: '' };
    const texts = ['unknown', 'shared', 'unheard'];
    const pending = ['unknown', 'unheard'].map((text) => ({ hash: hashOf(text), text }));
    expect(palace.file(filingOf('b', texts), run)).toEqual({ added: 3, removed: 0, kept: 0, pending });
    const visible = () => palace.vectors.nearest(vectorOf('unknown'), 10).length;
    const keep = (text: string) =>
      palace.vectors.keep([{ hash: hashOf(text), embedding: vectorOf(text) }], palace.model);
    expect(palace.lexical.candidates({ words: ['unknown'] }, 10)).toHaveLength(1);
    expect(palace.vectors.has(hashOf('unknown'))).toBe(false);
    expect(palace.vectors.coverage()).toEqual({ texts: 4, pending: 2, percent: 50 });
    expect([problemsIn(palace), palace.drift()]).toEqual([[], undefined]);
    keep('unknown');
    expect([palace.vectors.has(hashOf('unknown')), visible()]).toEqual([true, 2]);
    expect(palace.vectors.pending.next(0, 10)).toMatchObject([{ text: 'unheard' }]);
    expect([problemsIn(palace), palace.drift()]).toEqual([[], undefined]);
    keep('unheard');
    expect(visible()).toBe(4);
    expect(palace.vectors.coverage()).toEqual({ texts: 4, pending: 0, percent: 100 });
    expect(problemsIn(palace)).toEqual([]);
  });

  it('makes the vectors of a source visible when its last pending text leaves it', ({ palace }) => {
    const run = {
      id: palace.runs.begin({ command: '', scope: '', narrowed: false, versions: {}, startedMs: 1 }),
      now: '',
    };
    palace.file(filingOf('a', ['made', 'missing']), run);
    palace.vectors.keep([{ hash: hashOf('made'), embedding: vectorOf('made') }], palace.model);
    expect(palace.vectors.nearest(vectorOf('made'), 10)).toEqual([]);
    palace.file(filingOf('a', ['made']), run);
    expect(palace.vectors.nearest(vectorOf('made'), 10)).toHaveLength(1);
    palace.tidy();
    expect(palace.vectors.coverage()).toEqual({ texts: 1, pending: 0, percent: 100 });
    expect(problemsIn(palace)).toEqual([]);
  });

  it('counts as pending only texts that a search by meaning does not find', ({ palace }) => {
    fileTexts(palace, 'a', ['one', 'two']);
    const run = { id: 1, now: '' };
    const keep = (text: string) =>
      palace.vectors.keep([{ hash: hashOf(text), embedding: vectorOf(text) }], palace.model);
    keep('of no source yet');
    expect(palace.vectors.coverage()).toEqual({ texts: 2, pending: 0, percent: 100 });
    // Embedded again, they have their old vector until then.
    palace.file({ ...filingOf('a', ['one', 'two']), refreshVectors: true }, run);
    expect(palace.vectors.pending.count()).toBe(3);
    expect(palace.vectors.coverage()).toEqual({ texts: 2, pending: 0, percent: 100 });
    palace.file(filingOf('b', ['three']), run);
    expect(palace.vectors.coverage()).toEqual({ texts: 3, pending: 1, percent: 66 });
  });

  it('stores the vectors that a killed run of an earlier program made for filed texts', ({ palace }) => {
    fileTexts(palace, 'a', ['one', 'two']);
    palace.vectors.pending.keep(hashOf('one'), Buffer.from(vectorOf('anew').buffer));
    palace.vectors.publishAll();
    expect(palace.vectors.pending.count()).toBe(0);
    const [nearest] = palace.vectors.nearest(vectorOf('anew'), 1);
    expect(palace.reading.drawersByVector([nearest?.vectorId ?? 0], 1)[0]?.text).toBe('one');
    expect(problemsIn(palace)).toEqual([]);
  });

  it('is not called damaged when the last block of codes has no vector left', ({ palace }) => {
    fileTexts(palace, 'a', ['first']);
    fileTexts(
      palace,
      'b',
      Array.from({ length: 300 }, (_, i) => `text ${i}`),
    );
    palace.remove(palace.sources.byKey('b')?.id ?? 0);
    palace.tidy();
    expect([problemsIn(palace), palace.drift()]).toEqual([[], undefined]);
  });

  it('does not compare slots without a vector, whatever the question', ({ palace }) => {
    const run = {
      id: palace.runs.begin({ command: '', scope: '', narrowed: false, versions: {}, startedMs: 1 }),
      now: '',
    };
    const texts = Array.from({ length: 3_000 }, (_, i) => `pending ${i}`);
    palace.file(filingOf('a', texts), run);
    fileTexts(palace, 'b', ['found']);
    const away = vectorOf('found').map((value) => -value);
    expect(palace.vectors.nearest(away, 5)).toHaveLength(1);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('refuses vectors that would falsify every distance', ({ palace }) => {
    const bad = [new Float32Array(8), new Float32Array(8).fill(Number.NaN), new Float32Array(4).fill(0.5)];
    for (const embedding of bad) {
      expect(() => palace.vectors.keep([{ hash: hashOf('x'), embedding }], palace.model)).toThrowError(
        /cannot be filed/,
      );
    }
  });

  it('after any sequence of filings contains exactly the last texts of each source', () => {
    const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'epsilon');
    const step = fc.record({ key: fc.constantFrom('a', 'b', 'c'), texts: fc.array(word, { maxLength: 6 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const palace = temporaryPalace();
        const expected = new Map<string, string[]>();
        for (const { key, texts } of steps) {
          fileTexts(palace, key, texts);
          expected.set(key, texts);
        }
        for (const [key, texts] of expected) {
          expect(palace.drawers.textsOf(palace.sources.byKey(key)?.id ?? 0)).toEqual(texts);
        }
        expect(palace.drawerCount()).toBe([...expected.values()].flat().length);
        expect(problemsIn(palace)).toEqual([]);
      }),
      { numRuns: 25 },
    );
  });
});

describe('the space of deleted vectors', () => {
  const texts = (round: number, count: number) =>
    Array.from({ length: count }, (_, i) => `round ${round} text ${i}`);

  it('is used again: changes do not grow the file', ({ palace }) => {
    fileTexts(palace, 'a', texts(0, 400));
    fileTexts(palace, 'a', texts(1, 400));
    palace.tidy();
    const size = palace.bytes();
    for (let round = 2; round < 5; round += 1) {
      fileTexts(palace, 'a', texts(round, 400));
      palace.tidy();
    }
    // A tenth of the file may be free, and an index of this size varies by a page or two.
    expect(palace.bytes()).toBeLessThanOrEqual(size / 0.9 + 2 * 8192);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('is returned when much of it is free', ({ palace }) => {
    fileTexts(palace, 'a', texts(0, 6000));
    fileTexts(palace, 'b', texts(1, 100));
    palace.tidy();
    const size = palace.bytes();
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.tidy();
    expect(palace.bytes()).toBeLessThan(size / 4);
    expect(palace.vectors.nearest(vectorOf('round 1 text 7'), 1)[0]?.cosine).toBeCloseTo(1, 4);
    fileTexts(palace, 'c', texts(2, 10));
    expect(problemsIn(palace)).toEqual([]);
  });
});

describe('nearest', () => {
  it('is exact, nearest first, and ignores freed slots', ({ palace }) => {
    const all = Array.from({ length: 60 }, (_, i) => `text number ${i}`);
    fileTexts(palace, 'a', all.slice(0, 30));
    fileTexts(palace, 'b', all.slice(30), { wing: 'wing_b' });
    palace.remove(palace.sources.byKey('a')?.id ?? 0);
    palace.tidy();
    const query = vectorOf('a question');
    const cosine = (text: string) =>
      vectorOf(text).reduce((sum, value, i) => sum + value * (query[i] ?? 0), 0);
    const expected = all
      .slice(30)
      .map(cosine)
      .sort((x, y) => y - x);
    const among = (wing: string) =>
      palace.reading.select(conditionOf({ wing }) ?? { sql: '', parameters: {} }).vectors;
    const found = palace.vectors.nearest(query, 50);
    expect(found).toHaveLength(30);
    for (const [rank, { cosine: found1 }] of found.entries())
      expect(found1).toBeCloseTo(expected[rank] ?? 0, 4);
    expect(palace.vectors.nearest(query, 50, among('wing_a'))).toEqual([]);
    expect(palace.vectors.nearest(query, 50, among('wing_b'))).toHaveLength(30);
  });
});

function idsByText(palace: Palace, key: string): Map<string, string> {
  const id = palace.sources.byKey(key)?.id ?? 0;
  const ids = drawerIds(palace, id);
  return new Map(palace.drawers.textsOf(id).map((text, i) => [text, ids[i] ?? '']));
}
