import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { describe, expect, vi } from 'vitest';
import { Sql } from '../../src/store/db/sql.js';
import { Palace, palaceFile } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { fileTexts, hashOf, TINY_MODEL, temporaryPalace, vectorOf } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';

const texts = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name} text ${i}`);

/** Pages of the schema, from 0. */
function schemaPages(file: string): Set<number> {
  const database = new Database(file, { readonly: true });
  const pages = database.prepare("SELECT pageno - 1 FROM dbstat WHERE name = 'sqlite_schema'").pluck().all();
  database.close();
  return new Set(pages.map(Number));
}

describe('a reader', () => {
  it('with an old snapshot is not disturbed by a run that removes, and does not delay it', ({ palace }) => {
    fileTexts(palace, 'gone', texts('gone', 1500));
    fileTexts(palace, 'stays', texts('stays', 50));
    palace.tidy();
    const size = palace.bytes();
    const reader = Palace.read(palace.folder);
    reader.snapshot(() => {
      expect(reader.drawerCount()).toBe(1550);
      const exec = vi.spyOn(Sql.prototype, 'exec');
      palace.remove(palace.sources.byKey('gone')?.id ?? 0);
      fileTexts(palace, 'more', texts('more', 10));
      palace.tidy();
      // Only the WAL checkpoint meets a reader, and it does not wait for SQLite's five seconds.
      const [wait] = exec.mock.calls.flatMap(([text]) => /busy_timeout = (\d+)/.exec(text)?.[1] ?? []);
      expect(Number(wait)).toBeLessThan(1_000);
      expect(palace.emptyLog()).toBe(false);
      exec.mockRestore();
      expect(problemsIn(palace)).toEqual([]);
      expect(reader.drawerCount()).toBe(1550);
      expect(problemsIn(reader)).toEqual([]);
      const [nearest] = reader.vectors.nearest(vectorOf('gone text 700'), 1);
      expect(nearest?.cosine).toBeCloseTo(1, 4);
      const [drawer] = reader.reading.drawersByVector([nearest?.vectorId ?? 0], 1);
      expect(drawer?.text).toBe('gone text 700');
    });
    expect(reader.drawerCount()).toBe(60);
    expect(reader.vectors.nearest(vectorOf('stays text 7'), 1)[0]?.cosine).toBeCloseTo(1, 4);
    expect(reader.vectors.nearest(vectorOf('gone text 700'), 1)[0]?.cosine).toBeLessThan(0.999);
    reader.close();
    palace.tidy();
    // The size of an empty palace remains.
    const none = temporaryPalace();
    // Its tables may be in the WAL only.
    none.emptyLog();
    const empty = none.bytes();
    expect(palace.bytes() - empty).toBeLessThan((size - empty) / 3);
    const log = `${palaceFile(palace.folder)}-wal`;
    expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
  });

  it('that has searched before finds new drawers by their vectors', ({ palace }) => {
    fileTexts(palace, 'early', texts('early', 300));
    const reader = Palace.read(palace.folder);
    const nearest = (text: string) => reader.vectors.nearest(vectorOf(text), 1)[0]?.cosine;
    expect(nearest('early text 7')).toBeCloseTo(1, 4);
    expect(nearest('late text 2')).toBeLessThan(0.9999);
    fileTexts(palace, 'late', texts('late', 3));
    expect(nearest('late text 2')).toBeCloseTo(1, 4);
    palace.remove(palace.sources.byKey('late')?.id ?? 0);
    palace.vectors.releaseUnused();
    expect(nearest('late text 2')).toBeLessThan(0.9999);
    reader.close();
  });

  it('that searches between all steps of many runs always gets complete answers', ({ palace }) => {
    fileTexts(palace, 'fixed', texts('fixed', 20));
    const reader = Palace.read(palace.folder);
    const ask = () => {
      const drawers = reader.snapshot(() => {
        const [nearest] = reader.vectors.nearest(vectorOf('fixed text 3'), 1);
        expect(reader.lexical.candidates({ words: ['fixed'] }, 30)).toHaveLength(20);
        return reader.reading.drawersByVector([nearest?.vectorId ?? 0], 5);
      });
      expect(drawers.map(({ text }) => text)).toEqual(['fixed text 3']);
    };
    for (let round = 0; round < 3; round += 1) {
      fileTexts(palace, 'churn', texts(`round ${round}`, 1200));
      ask();
      palace.vectors.releaseUnused();
      ask();
      palace.vectors.codes.rebuild();
      ask();
      palace.tidy();
      ask();
    }
    expect(problemsIn(reader)).toEqual([]);
    reader.close();
  });

  it('gets the whole text of one version, if another program files the next one meanwhile', ({ palace }) => {
    fileTexts(palace, 'a', ['any']);
    const id = palace.sources.byKey('a')?.id ?? 0;
    const file = (version: string) => {
      const texts = [`${version}, `, version];
      palace.sources.putText(
        id,
        texts.map((text) => ({ hash: hashOf(text), body: deflateRawSync(text) })),
      );
    };
    file('old');
    const reader = Palace.read(palace.folder);
    const { get } = Sql.prototype;
    const spy = vi.spyOn(Sql.prototype, 'get').mockImplementationOnce(function (this: Sql, ...query) {
      const row = get.apply(this, query);
      file('new');
      return row;
    });
    expect(reader.sources.textOf(id)).toBe('old, old');
    spy.mockRestore();
    expect(reader.sources.textOf(id)).toBe('new, new');
    reader.close();
  });

  it('of a damaged palace gets an error and a hint, whenever the damage is found', ({ palace }) => {
    const { folder } = palace;
    fileTexts(palace, 'a', texts('some', 300));
    palace.close();
    const schema = schemaPages(palaceFile(folder));
    const bytes = readFileSync(palaceFile(folder));
    writeFileSync(
      palaceFile(folder),
      bytes.map((byte, at) => (at < 8192 * 3 || schema.has(Math.floor(at / 8192)) ? byte : (at * 31) & 255)),
    );
    const reader = Palace.read(folder);
    const damaged = expect.objectContaining({ name: 'UserError', code: 'palace-damaged' });
    expect(() => reader.lexical.candidates({ words: ['text'] }, 5)).toThrowError(damaged);
    expect(() => reader.sources.byKey('a')).toThrowError(damaged);
    reader.close();
    const writer = Palace.write(folder, TINY_MODEL);
    expect(() => fileTexts(writer, 'a', texts('some', 300))).toThrowError(damaged);
    writer.close();
  });

  it('of a palace without a recorded model is refused', ({ palace }) => {
    const raw = new Database(palaceFile(palace.folder));
    raw.exec("DELETE FROM meta WHERE key = 'model'");
    raw.close();
    const damaged = expect.objectContaining({ name: 'UserError', code: 'palace-damaged' });
    expect(() => Palace.read(palace.folder)).toThrowError(damaged);
  });
});
