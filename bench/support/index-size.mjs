/** The parts of a palace's file. */
import Database from 'better-sqlite3';

const PARTS = [
  ['embeddings', /^embeddings$/],
  ['codes', /^codes$/],
  ['lexical index', /^lexical_index/],
  ['drawers with their text', /^drawers$/],
  ['whole texts', /^source_texts$/],
];

/** Bytes on disk by part, pages of each counted whole. */
export function sizesOf(file) {
  const db = new Database(file, { readonly: true });
  const tables = db.prepare('SELECT name, pgsize AS bytes FROM dbstat WHERE aggregate = TRUE').all();
  db.close();
  const sizes = new Map([...PARTS.map(([name]) => [name, 0]), ['all else (ids, hashes, filters)', 0]]);
  for (const { name, bytes } of tables) {
    const part = PARTS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'all else (ids, hashes, filters)';
    sizes.set(part, sizes.get(part) + bytes);
  }
  return sizes;
}
