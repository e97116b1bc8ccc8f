import { inflateRawSync } from 'node:zlib';
import Database from 'better-sqlite3';
import * as sqliteVec from 'sqlite-vec';
import { expect } from 'vitest';
import type { Palace } from '../../src/store/index.js';
import { palaceFile } from '../../src/store/index.js';

/** All drawers of each source, joined in order, by source key; read from the file itself. */
export function joinedDrawers(palace: string): Map<string, string> {
  return withPalace(palace, (database) => {
    const rows = database
      .prepare<[], { key: string; text: string }>(
        `SELECT s.source_key AS key, d.text FROM drawers d JOIN sources s ON s.id = d.source_id
         ORDER BY s.source_key, d.chunk_index`,
      )
      .all();
    const joined = new Map<string, string>();
    for (const { key, text } of rows) joined.set(key, (joined.get(key) ?? '') + text);
    return joined;
  });
}

/**
 * All rows of the palace, without row ids, run ids and times. Two palaces that were
 * filled differently from the same sources must be equal here.
 */
export function contentOf(palace: string): unknown {
  return withPalace(palace, (database) => {
    const all = (sql: string) => database.prepare<[], Record<string, unknown>>(sql).all();
    const texts = all(
      `SELECT s.source_key, t.seq, t.body FROM source_texts t JOIN sources s ON s.id = t.source_id ORDER BY 1, 2`,
    );
    return {
      sources: all(
        `SELECT source_key, source_file, origin, kind, wing, room, project_id, title, session_id, directory,
           source_mtime, bytes, hash, versions, ingest_mode, content_date, chars, drawers, hex(messages) AS messages
         FROM sources ORDER BY source_key`,
      ),
      drawers: all(
        `SELECT d.drawer_id, s.source_key, d.chunk_index, d.char_start, d.char_end, d.line_start, d.line_end,
           d.content_date, d.role, d.text, d.title, d.context, d.place, hex(v.text_hash) AS vector
         FROM drawers d JOIN sources s ON s.id = d.source_id JOIN vectors v ON v.id = d.vector_id ORDER BY d.drawer_id`,
      ),
      vectors: all(
        `SELECT hex(v.text_hash) AS hash, hex(e.embedding) AS embedding FROM vectors v
         JOIN embeddings e ON e.vector_id = v.id WHERE v.text_hash IS NOT NULL ORDER BY 1`,
      ),
      unfiled: all('SELECT count(*) AS n FROM unfiled_vectors'),
      terms: all('SELECT term, doc, cnt FROM lexical_terms ORDER BY term'),
      texts: texts.map(({ source_key, seq, body }) => [
        source_key,
        seq,
        inflateRawSync(body as Buffer).toString(),
      ]),
      projects: all('SELECT * FROM projects ORDER BY id'),
      derived: all('SELECT source_key, activity FROM sources ORDER BY source_key'),
      touched: all(
        `SELECT s.source_key, f.chunk_index, f.path, f.action, f.name, f.former
         FROM touched_files f JOIN sources s ON s.id = f.source_id ORDER BY 1, 2, 3, 4`,
      ),
      failures: all(
        `SELECT s.source_key, f.signature, f.chunk_index, f.tool, f.message, f.command, f.file, f.fix_chunk_index, f.fix_edits
         FROM failures f JOIN sources s ON s.id = f.source_id ORDER BY 1, 2`,
      ),
      integrity: all('PRAGMA integrity_check'),
    };
  });
}

function withPalace<T>(palace: string, read: (database: Database.Database) => T): T {
  const database = new Database(palaceFile(palace), { readonly: true });
  try {
    sqliteVec.load(database);
    return read(database);
  } finally {
    database.close();
  }
}

/** Ids of the drawers of a source, in order. */
export function drawerIds(palace: Palace, sourceId: number): string[] {
  return [...palace.archive.drawers(sourceId)].map(({ drawerId }) => drawerId);
}

/**
 * As `contentOf`, with vectors within a thousandth: the batch of a text depends on the texts that are
 * embedded already, and the last bits of its vector depend on the batch. The hashes of the embedded texts are exact.
 */
export function expectSameRows(actual: unknown, expected: unknown): void {
  const [one, other] = [actual, expected].map(withFloats);
  expect({ ...one, vectors: one?.vectors.map(({ hash }) => hash) }).toEqual({
    ...other,
    vectors: other?.vectors.map(({ hash }) => hash),
  });
  let furthest = 0;
  for (const [index, { floats }] of (one?.vectors ?? []).entries()) {
    const twin = other?.vectors[index]?.floats ?? [];
    expect(floats.length).toBe(twin.length);
    for (const [at, value] of floats.entries())
      furthest = Math.max(furthest, Math.abs(value - (twin[at] ?? Number.NaN)));
  }
  expect(furthest).toBeLessThan(1e-3);
}

function withFloats(content: unknown): { vectors: { hash: string; floats: number[] }[] } {
  const { vectors, ...rest } = content as { vectors: { hash: string; embedding: string }[] };
  return {
    ...rest,
    vectors: vectors.map(({ hash, embedding }) => {
      const bytes = Buffer.from(embedding, 'hex');
      return { hash, floats: Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(i * 4)) };
    }),
  };
}
