import Database from 'better-sqlite3';
import { describe, expect, vi } from 'vitest';
import { Palace, palaceFile } from '../../../src/store/index.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryPalace, vectorOf } from '../../support/palace.js';

const texts = Array.from({ length: 40 }, (_, i) => `text ${i}`);

function damagedBy(sql: string, ...parameters: unknown[]): Palace {
  const palace = temporaryPalace();
  fileTexts(palace, 'source', texts);
  palace.tidy();
  palace.close();
  const raw = new Database(palaceFile(palace.folder));
  raw.unsafeMode(true);
  raw.prepare(sql).run(...parameters);
  raw.close();
  return Palace.read(palace.folder);
}

const blob = (vector: Float32Array) => Buffer.from(vector.buffer);

describe('drift', () => {
  it('is not reported in an intact palace, an empty one, or one whose last drawers were removed', ({
    palace,
  }) => {
    expect(palace.drift()).toBeUndefined();
    fileTexts(palace, 'first', texts);
    fileTexts(palace, 'second', ['another']);
    expect(palace.drift()).toBeUndefined();
    palace.remove(palace.sources.byKey('second')?.id ?? 0);
    palace.vectors.releaseUnused();
    expect(palace.drift()).toBeUndefined();
  });

  it('is not seen in what another process files between two counts', () => {
    const writer = temporaryPalace();
    fileTexts(writer, 'first', texts);
    const reader = Palace.read(writer.folder);
    const count = reader.lexical.size.bind(reader.lexical);
    const size = vi.spyOn(reader.lexical, 'size');
    for (const key of ['second', 'third'])
      size.mockImplementationOnce(() => {
        fileTexts(writer, key, [`text of ${key}`]);
        return count();
      });
    expect(reader.drift()).toBeUndefined();
    expect(reader.check().problems).toEqual([]);
    expect(size).toHaveBeenCalledTimes(2);
    reader.close();
  });

  it.each([
    [
      'a lexical entry is gone',
      "INSERT INTO lexical_index(lexical_index, rowid, text) VALUES ('delete', 3, 'text 2')",
      [],
    ],
    ['a lost vector', 'DELETE FROM embeddings WHERE vector_id = 40', []],
    [
      'a vector of another dimension',
      'UPDATE embeddings SET embedding = ? WHERE vector_id = 40',
      [Buffer.alloc(16)],
    ],
    ['a vector of no length', 'UPDATE embeddings SET embedding = ? WHERE vector_id = 40', [Buffer.alloc(32)]],
    [
      'a vector that is no number',
      'UPDATE embeddings SET embedding = ? WHERE vector_id = 40',
      [blob(new Float32Array(8).fill(Number.NaN))],
    ],
    ['no codes', 'DELETE FROM codes', []],
  ])('%s: is detected at open and by the check', (_, sql, parameters) => {
    const palace = damagedBy(sql, ...parameters);
    expect(palace.drift()?.hint).toBe('mempalace repair');
    expect(palace.check({ full: true }).problems).not.toEqual([]);
    palace.close();
  });

  it('in any vector is detected by the full check', () => {
    for (const vector of [new Float32Array(8), vectorOf('x').map((value) => value * 1.01)]) {
      const palace = damagedBy('UPDATE embeddings SET embedding = ? WHERE vector_id = 3', blob(vector));
      const kinds = palace.check({ full: true }).problems.map(({ kind, text }) => `${kind}: ${text}`);
      expect(kinds).toContain("vectors: 1 vector not of norm 1 and the model's dimension");
      expect(palace.drawerVectors.countLost()).toBe(1);
      palace.close();
    }
  });
});
