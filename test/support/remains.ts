import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { palaceFile } from '../../src/store/index.js';

/** Data that must not remain anywhere: words of a text, and its bytes in the palace. */
export interface Doomed {
  needles: string[];
  bytes: Buffer[];
}

const SLICE = 24;

/**
 * Everything from which the text of a source can be recognised: the given words, its compressed texts as stored in
 * the palace, and its vectors, except those that other sources use.
 */
export function doomedBy(palace: string, sourceKey: string, needles: string[]): Doomed {
  const database = new Database(palaceFile(palace), { readonly: true });
  try {
    const all = (sql: string) => database.prepare<[string], Buffer>(sql).pluck().all(sourceKey);
    const texts = all(
      'SELECT body FROM source_texts t JOIN sources s ON s.id = t.source_id WHERE s.source_key = ?',
    );
    const vectors = all(
      `SELECT e.embedding FROM embeddings e JOIN drawers d ON d.vector_id = e.vector_id
       JOIN sources s ON s.id = d.source_id WHERE s.source_key = ?
         AND NOT EXISTS (SELECT 1 FROM drawers o WHERE o.vector_id = d.vector_id AND o.source_id <> d.source_id)`,
    );
    const bytes = [...texts, ...vectors].flatMap((blob) =>
      [0.1, 0.5, 0.8].map((share) => {
        const at = Math.floor((blob.length - SLICE) * share);
        return blob.subarray(at, at + SLICE);
      }),
    );
    return { needles, bytes: bytes.filter(({ length }) => length === SLICE) };
  } finally {
    database.close();
  }
}

/** Where a part of it remains: in the bytes of files below these folders, in values of a palace, or in its index. */
export function remainsOf({ needles, bytes }: Doomed, ...folders: string[]): string[] {
  const found: string[] = [];
  for (const path of folders.flatMap(filesBelow)) {
    const content = readFileSync(path);
    for (const each of [...needles, ...bytes])
      if (content.includes(each)) found.push(`${path}: ${Buffer.isBuffer(each) ? 'bytes of it' : each}`);
    const lower = content.toString('latin1').toLowerCase();
    for (const needle of needles)
      if (lower.includes(Buffer.from(needle.toLowerCase()).toString('latin1')))
        found.push(`${path}: ${needle}`);
    if (content.subarray(0, 15).toString() === 'SQLite format 3') found.push(...inPalace(path, needles));
  }
  return found;
}

function inPalace(file: string, needles: readonly string[]): string[] {
  const database = new Database(file, { readonly: true });
  const found: string[] = [];
  try {
    sqliteVec.load(database);
    const tables = database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE '%VIRTUAL%'")
      .pluck()
      .all();
    for (const table of tables)
      for (const row of database.prepare(`SELECT * FROM "${table}"`).raw().iterate() as Iterable<unknown[]>)
        for (const value of row)
          for (const text of textsIn(value))
            for (const needle of needles)
              if (text.includes(needle)) found.push(`${file} ${table}: ${needle}`);
    const words = database.prepare('SELECT 1 FROM lexical_index WHERE lexical_index MATCH ?').pluck();
    for (const needle of needles)
      if (words.get(`"${needle.replaceAll('"', '""')}"`) !== undefined)
        found.push(`${file} lexical_index: ${needle}`);
  } finally {
    database.close();
  }
  return found;
}

/** A value as text; a blob also decompressed, if it is compressed. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (!Buffer.isBuffer(value)) return [];
  try {
    return [value.toString('latin1'), inflateRawSync(value).toString('utf8')];
  } catch {
    return [value.toString('latin1')];
  }
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    const stat = lstatSync(path);
    return stat.isDirectory() ? filesBelow(path) : stat.isFile() ? [path] : [];
  });
}
