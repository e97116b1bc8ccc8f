import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { unquoted } from '../../../src/feeders/session/blocks.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { Feeder, foldTurns, readTranscript, temporaryFolder } from './helpers.js';

/** The large histories next to the checkout, from which the fixtures in the repository were cut. */
const shared = fileURLToPath(new URL('../../../../shared/fixtures/opencode', import.meta.url));
const there = existsSync(shared);

interface TextRow {
  session: string;
  role: string;
  text: string;
}

/** Every visible text of a session: not injected, hidden or undone, as in the database. */
function shownTexts(path: string): TextRow[] {
  const database = new Database(path, { readonly: true });
  const rows = database
    .prepare(
      `SELECT p.session_id AS session, json_extract(m.data, '$.role') AS role, json_extract(p.data, '$.text') AS text
       FROM part p JOIN message m ON m.id = p.message_id JOIN session s ON s.id = p.session_id
       WHERE json_extract(p.data, '$.type') = 'text'
         AND coalesce(json_extract(p.data, '$.synthetic'), 0) = 0 AND coalesce(json_extract(p.data, '$.ignored'), 0) = 0
         AND trim(json_extract(p.data, '$.text')) <> ''
         AND (s.revert IS NULL OR m.time_created <
           (SELECT time_created FROM message WHERE id = json_extract(s.revert, '$.messageID')))`,
    )
    .all() as TextRow[];
  database.close();
  return rows;
}

/** A copy: a reader of a WAL creates files next to it, and the originals must not be changed. */
function copied(name: string, file = name): string {
  const copy = join(temporaryFolder(), name);
  cpSync(join(shared, name), copy, { recursive: true });
  for (const entry of statSync(copy).isDirectory() ? ['', ...readdirSync(copy)] : ['']) {
    const path = join(copy, entry);
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  return name === file ? copy : join(copy, file);
}

describe.skipIf(!there)(
  'the large histories (skipped: they lie beside the checkout, and are not there)',
  () => {
    it.each([
      ['opencode-1.18.33.db', 62, 61],
      ['opencode-1.2.27.db', 35, 34],
    ])('%s: no text of a chosen session is missing from the transcripts', async (name, sessions, staged) => {
      const path = copied(name);
      const run = await new Feeder(path).stage();
      expect(run.sources).toHaveLength(staged);
      expect(run.skipped.filter(({ problem }) => problem === true)).toEqual([]);
      const texts = shownTexts(path);
      expect(new Set(texts.map(({ session }) => session)).size).toBe(sessions);
      const all = new Set(
        run.sources
          .flatMap((source) => readTranscript(source))
          .flatMap(({ message }) =>
            message.content.map((block) => (block.type === 'text' ? block.text : '')),
          ),
      );
      const sanitiser = await createSanitiser({ redact: true });
      for (const { role, text } of texts) {
        const shown = (await sanitiser.clean(role === 'user' ? unquoted(text) : text)).text;
        expect(all.has(shown) || all.has(`[compaction summary] ${shown}`), shown.slice(0, 80)).toBe(true);
      }
      for (const source of run.sources) foldTurns(readTranscript(source));
    });

    it('a WAL that opencode left is read: 153 messages, 144 of them in the main file', async () => {
      const path = copied('wal', 'opencode.db');
      const run = await new Feeder(path).stage();
      const alone = join(temporaryFolder(), 'opencode.db');
      cpSync(path, alone);
      const without = await new Feeder(alone).stage();
      const lines = (sources: typeof run.sources) =>
        sources.reduce((sum, source) => sum + readTranscript(source).length, 0);
      expect(lines(run.sources)).toBeGreaterThan(lines(without.sources));
      const before = readFileSync(join(shared, 'wal', 'opencode.db-wal'));
      expect(readFileSync(`${path}-wal`).equals(before)).toBe(true);
    });

    it('the JSON files give every session that has messages', async () => {
      const run = await new Feeder(copied('storage-1.1.65')).stage();
      expect(run.sources).toHaveLength(7);
      for (const source of run.sources) foldTurns(readTranscript(source));
    });

    it('text that the model no longer sees is included', async () => {
      const run = await new Feeder(copied('opencode-1.18.33.db')).stage();
      const pruned = run.sources.filter(({ title }) => title === 'Pruned tool outputs (time.compacted)');
      const calls = pruned
        .flatMap((source) => foldTurns(readTranscript(source)))
        .flatMap((turn) => turn.calls);
      expect(
        calls.filter(({ name, result }) => name === 'read' && result.length > 10_000).length,
      ).toBeGreaterThan(3);
    });

    it('all of them together give each session once', async () => {
      const feeder = new Feeder(
        copied('opencode-1.18.33.db'),
        copied('opencode-1.2.27.db'),
        copied('wal', 'opencode.db'),
        copied('storage-1.1.65'),
      );
      const run = await feeder.stage();
      const keys = run.sources.map(({ sourceKey }) => sourceKey);
      expect(new Set(keys).size).toBe(keys.length);
      feeder.file(run);
      expect((await feeder.stage()).sources).toEqual(run.sources);
      expect((await feeder.survey()).sessions().every(({ status }) => status === 'unchanged')).toBe(true);
    });
  },
);
