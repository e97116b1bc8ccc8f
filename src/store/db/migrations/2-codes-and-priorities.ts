import type { Database } from 'better-sqlite3';
import { bigramsOf } from '../../index/bigrams.js';
import { Codes } from '../../index/codes.js';
import { dateWords } from '../../index/date-words.js';
import { Sql } from '../sql.js';

/**
 * Vectors leave the vec0 table for plain rows beside packed sign codes, so that a search reads a thirtieth
 * of them; drawers get the words of their dates, bigrams (Chinese, Japanese, Korean), priorities and pins; indexes for filters, days
 * and counts; room for the vectors of a next model.
 */
export function packCodesAndRankMore(database: Database): void {
  database.exec(`
    CREATE TABLE embeddings (vector_id INTEGER PRIMARY KEY REFERENCES vectors(id), embedding BLOB NOT NULL);
    INSERT INTO embeddings
      SELECT v.id, i.embedding FROM vectors v JOIN vector_index i ON i.rowid = v.id
      WHERE v.text_hash IS NOT NULL ORDER BY v.id;
    DROP TABLE vector_index;
    CREATE TABLE codes (block INTEGER PRIMARY KEY, codes BLOB NOT NULL);
    CREATE TABLE next_embeddings (vector_id INTEGER PRIMARY KEY REFERENCES vectors(id), embedding BLOB NOT NULL);

    ALTER TABLE sources ADD COLUMN priority TEXT;
    ALTER TABLE sources ADD COLUMN set_priority TEXT;
    ALTER TABLE sources ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE drawers ADD COLUMN set_priority TEXT;
    ALTER TABLE drawers ADD COLUMN pinned INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE drawers ADD COLUMN dates TEXT NOT NULL DEFAULT '';
    ALTER TABLE drawers ADD COLUMN bigrams TEXT NOT NULL DEFAULT '';

    DROP INDEX sources_by_place;
    CREATE INDEX sources_by_place ON sources(wing, room, kind, drawers);
    CREATE INDEX sources_by_date ON sources(content_date);
    CREATE INDEX drawers_to_filter ON drawers(source_id, content_date, vector_id);
    CREATE INDEX drawers_by_date ON drawers(content_date, source_id);
    CREATE INDEX drawers_pinned ON drawers(id) WHERE pinned = 1 OR set_priority IS NOT NULL;

    DROP TRIGGER drawers_inserted;
    DROP TRIGGER drawers_deleted;
    DROP TRIGGER drawers_reworded;
    DROP TABLE lexical_terms;
    DROP TABLE lexical_index;
  `);
  addWords(database);
  database.exec(`
    CREATE VIRTUAL TABLE lexical_index USING fts5(
      text, title, context, place, dates, bigrams, content='drawers', content_rowid='id',
      tokenize='porter unicode61 remove_diacritics 2'
    );
    INSERT INTO lexical_index(lexical_index, rank) VALUES ('secure-delete', 1);
    INSERT INTO lexical_index(lexical_index) VALUES ('rebuild');
    CREATE VIRTUAL TABLE lexical_terms USING fts5vocab(lexical_index, 'row');

    CREATE TRIGGER drawers_inserted AFTER INSERT ON drawers BEGIN
      INSERT INTO lexical_index(rowid, text, title, context, place, dates, bigrams)
      VALUES (new.id, new.text, new.title, new.context, new.place, new.dates, new.bigrams);
    END;
    CREATE TRIGGER drawers_deleted AFTER DELETE ON drawers BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place, dates, bigrams)
      VALUES ('delete', old.id, old.text, old.title, old.context, old.place, old.dates, old.bigrams);
    END;
    CREATE TRIGGER drawers_reworded AFTER UPDATE OF text, title, context, place, dates, bigrams ON drawers
    WHEN new.text IS NOT old.text OR new.title IS NOT old.title OR new.context IS NOT old.context
      OR new.place IS NOT old.place OR new.dates IS NOT old.dates OR new.bigrams IS NOT old.bigrams BEGIN
      INSERT INTO lexical_index(lexical_index, rowid, text, title, context, place, dates, bigrams)
      VALUES ('delete', old.id, old.text, old.title, old.context, old.place, old.dates, old.bigrams);
      INSERT INTO lexical_index(rowid, text, title, context, place, dates, bigrams)
      VALUES (new.id, new.text, new.title, new.context, new.place, new.dates, new.bigrams);
    END;
  `);
  new Codes(new Sql(database)).rebuild();
}

function addWords(database: Database): void {
  const rows = database.prepare<
    [],
    { id: number; day: string | null; text: string; title: string; context: string; place: string }
  >('SELECT id, content_date AS day, text, title, context, place FROM drawers');
  const found: { id: number; dates: string; bigrams: string }[] = [];
  for (const { id, day, text, title, context, place } of rows.iterate())
    found.push({ id, dates: dateWords(day), bigrams: bigramsOf(text, title, context, place) });
  const update = database.prepare('UPDATE drawers SET dates = ?, bigrams = ? WHERE id = ?');
  for (const { id, dates, bigrams } of found) if (dates + bigrams !== '') update.run(dates, bigrams, id);
}
