import { copyFileSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { wouldBeBatch } from '../../../src/feeders/mempalace/stage.js';
import { surveyChroma } from '../../../src/feeders/mempalace/survey.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { type ChromaRow, makeChroma } from '../../support/chroma.js';
import { it } from '../../support/it.js';
import { temporaryFolder } from '../../support/palace.js';
import { random } from '../../support/thorough.js';

const sanitiser = await createSanitiser({ redact: true });
const DRAWERS = 6;
const rows: ChromaRow[] = Array.from({ length: DRAWERS }, (_, index) => ({
  id: `drawer_shop_docs_${index}`,
  document: `Lamp ${index} hangs ${index} feet above the floor of the lower hall.`,
  metadata: {
    wing: 'shop',
    room: 'docs',
    source_file: `/x/${index % 3}.md`,
    chunk_index: index,
    source_mtime: 1767322800.5,
    filed_at: '2026-01-02T03:04:05',
  },
}));

function palace(): { folder: string; file: string; good: string } {
  const folder = makeChroma(join(temporaryFolder(), 'theirs'), { mempalace_drawers: rows });
  const file = join(folder, 'chroma.sqlite3');
  const good = join(folder, 'good');
  copyFileSync(file, good);
  return { folder, file, good };
}

/** The rows to import; undefined if the palace is refused with an error. */
async function outcome(folder: string) {
  try {
    const survey = surveyChroma(folder, undefined);
    try {
      const batch = await wouldBeBatch(survey, {
        sanitiser,
        forgotten: new Set(),
        filedFrom: () => undefined,
      });
      const skipped = [...survey.problems, ...batch.skipped];
      const imported = batch.sources.flatMap(({ aliases = [] }) => aliases);
      return { survey, imported, skipped, problems: skipped.filter(({ problem }) => problem === true) };
    } finally {
      survey.close();
    }
  } catch (error) {
    if (error instanceof UserError && error.hint !== undefined) return undefined;
    throw error;
  }
}

/** Nothing is skipped silently: skipped rows are named or counted, or the whole palace is refused. */
async function expectTold(what: unknown, folder: string): Promise<boolean> {
  const found = await outcome(folder).catch((error: unknown) => {
    throw new Error(String(what), { cause: error });
  });
  if (found === undefined) return true;
  const lost = DRAWERS - found.imported.length;
  const dropped = Object.values(found.survey.dropped).reduce((sum, count) => sum + count, 0);
  expect([what, lost <= 0 || found.skipped.length > 0 || dropped >= lost]).toEqual([what, true]);
  return lost > 0 || found.problems.length > 0;
}

const TABLES = {
  embeddings: ['id', 'segment_id', 'embedding_id', 'seq_id'],
  embedding_metadata: ['id', 'key', 'string_value', 'int_value', 'float_value', 'bool_value'],
  segments: ['id', 'scope', 'collection'],
  collections: ['id', 'name'],
};
const VALUES = ['NULL', '-1', '1e300', '9223372036854775807', "x'00ff'", "'text'", "''", "'a' || char(0)"];

describe('a palace of MemPalace', () => {
  it.each(Object.entries(TABLES))(
    'with values of every type in the columns of %s',
    async (table, columns) => {
      const { folder, file, good } = palace();
      let told = 0;
      for (const column of columns)
        for (const value of VALUES)
          for (const where of ['rowid = 1', '1']) {
            copyFileSync(good, file);
            const raw = new Database(file);
            raw.pragma('foreign_keys = OFF');
            const names = raw.prepare('SELECT name FROM pragma_table_info(?)').pluck().all(table).join(', ');
            raw.exec(`CREATE TABLE lawless AS SELECT * FROM ${table}; DROP TABLE ${table};
            CREATE TABLE ${table} (${names}); INSERT INTO ${table} SELECT * FROM lawless;
            UPDATE ${table} SET ${column} = ${value} WHERE ${where}`);
            raw.close();
            if (await expectTold(`${table}.${column} = ${value} where ${where}`, folder)) told += 1;
          }
      expect(told).toBeGreaterThan(table === 'segments' || table === 'collections' ? 8 : 10);
    },
  );

  it.each(Object.entries(TABLES))('without the table %s, or a column of it', async (table, columns) => {
    const { folder, file, good } = palace();
    const changes = [
      `DROP TABLE ${table}`,
      ...columns.map((name) => `ALTER TABLE ${table} RENAME ${name} TO other`),
    ];
    for (const change of changes) {
      copyFileSync(good, file);
      const raw = new Database(file);
      raw.pragma('foreign_keys = OFF');
      raw.exec(change);
      raw.close();
      await expectTold(change, folder);
    }
  });

  it('cut off at every page, or with flipped bits', async () => {
    const { folder, file, good } = palace();
    const bytes = readFileSync(good);
    let told = 0;
    for (let size = 0; size < bytes.length; size += 2_048) {
      copyFileSync(good, file);
      truncateSync(file, size);
      if (await expectTold(`${size} bytes`, folder)) told += 1;
    }
    for (let seed = 1; seed <= 150; seed += 1) {
      const next = random(seed);
      const broken = Buffer.from(bytes);
      for (let flips = 0; flips < 12; flips += 1) {
        const at = Math.floor(next() * broken.length);
        broken[at] = (broken[at] ?? 0) ^ (1 << Math.floor(next() * 8));
      }
      writeFileSync(file, broken);
      // A flipped letter is an ordinary change; only an orderly end matters.
      await outcome(folder).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
    expect(told).toBeGreaterThan(bytes.length / 2_048 / 2);
  });

  it('with a text of 40 MB: only that text is skipped, by name', async () => {
    const { folder, file } = palace();
    const raw = new Database(file);
    raw.exec(`UPDATE embedding_metadata SET string_value = hex(zeroblob(20000001))
      WHERE id = 2 AND key = 'chroma:document'`);
    raw.close();
    const found = await outcome(folder);
    expect(found?.problems).toMatchObject([{ reason: 'drawer over 32 MB', detail: 'drawer_shop_docs_1' }]);
    expect(found?.imported).toHaveLength(DRAWERS - 1);
  });

  it('that is a folder, or has none', async ({ folder }) => {
    expect(await outcome(join(folder, 'nowhere'))).toBeUndefined();
    mkdirSync(join(folder, 'chroma.sqlite3'));
    expect(await outcome(folder)).toBeUndefined();
    expect(await outcome('/dev/null')).toBeUndefined();
  });
});
