import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { type ChromaRow, makeChroma, theirChunks } from '../support/chroma.js';
import { it } from '../support/it-env.js';
import { schemas } from '../support/json-schemas.js';
import { problemsOf } from '../support/soundness.js';

const HANDBOOK = `# Handbook\n\n${Array.from(
  { length: 40 },
  (_, n) => `Rule ${n}: lamp ${n * 7919} hangs ${n} feet above the floor.`,
).join('\n\n')}`;
/** A key-shaped text, made here. */
const SECRET = `AKIA${createHash('sha256')
  .update('x')
  .digest('hex')
  .toUpperCase()
  .replace(/[^A-Z2-7]/g, 'Q')
  .slice(0, 16)}`;
const base = {
  added_by: 'mempalace',
  filed_at: '2026-01-02T03:04:05',
  normalize_version: 2,
  hall: 'general',
};
const HASH = '0123456789abcdef01234567';

function handbook(path: string): ChromaRow[] {
  return theirChunks(HANDBOOK).map((document, index) => ({
    id: `drawer_shop_docs_${HASH.slice(0, -2)}${String(index).padStart(2, '0')}`,
    document,
    metadata: {
      ...base,
      wing: 'shop',
      room: 'docs',
      source_file: path,
      chunk_index: index,
      source_mtime: 1767322800.5,
      content_date: '2025-06-07',
      line_start: 1 + index,
      line_end: 2 + index,
      entities: 'Lamp',
    },
  }));
}

/** Every kind of row that MemPalace 3.3.6 is known to write. */
function palaceOf(path: string): Record<string, ChromaRow[]> {
  const convo = {
    ...base,
    wing: 'wing_api',
    room: 'technical',
    ingest_mode: 'convos',
    extract_mode: 'exchange',
  };
  const talk = '/home/x/.claude/projects/p/talk.jsonl';
  const added = `drawer_shop_notes_${HASH}`;
  return {
    mempalace_closets: [
      { id: 'closet_shop_docs_01', document: 'lamps|Lamp|→drawer', metadata: { wing: 'shop' } },
    ],
    mempalace_drawers: [
      ...handbook(path).reverse(),
      {
        id: `_reg_${HASH}`,
        document: `[registry] ${talk}`,
        metadata: { room: '_registry', ingest_mode: 'registry', source_file: talk },
      },
      {
        id: `drawer_wing_api_technical_${HASH}`,
        document: '> Which port does the proxy use?\nPort 8443, since 443 needs root.',
        metadata: { ...convo, source_file: talk, chunk_index: 0 },
      },
      {
        id: `drawer_wing_api_technical_${HASH.replace('0', '1')}`,
        document: `> And the key?\nIt is ${SECRET} for now.`,
        metadata: { ...convo, source_file: talk, chunk_index: 1 },
      },
      ...['Somebody said that the heron comes at dawn. '.repeat(19).slice(0, 800), 'And at dusk.'].map(
        (document, index) => ({
          id: `${added}_chunk_00000${index}`,
          document,
          metadata: { ...base, wing: 'shop', room: 'notes', chunk_index: index, parent_drawer_id: added },
        }),
      ),
      {
        id: 'sweep_s1_u1',
        document: 'USER: is it dark yet?',
        metadata: {
          ingest_mode: 'sweep',
          session_id: 's1',
          message_uuid: 'u1',
          role: 'user',
          timestamp: '2026-02-03T04:05:06Z',
          source_file: talk,
        },
      },
      {
        id: 'diary_wing_bot_20260102_030405000000_0123456789ab',
        document: 'SESSION:lanterns|★3',
        metadata: {
          ...base,
          wing: '../../etc',
          room: 'diary',
          type: 'diary_entry',
          topic: 'lanterns\u001b[31m',
          date: '2026-01-02',
          agent: 'bot',
          important: true,
        },
      },
      {
        id: `drawer_shop_docs_${HASH.replace('0', '9')}`,
        document: null,
        metadata: { ...base, wing: 'shop' },
      },
      { id: `drawer_shop_docs_${HASH.replace('0', '8')}`, metadata: { ...base, wing: 'shop', room: 'docs' } },
    ],
  };
}

it('imports wings, rooms, dates, ids and texts of a MemPalace palace; rows that are not drawers are left out', async ({
  env,
}) => {
  const shop = env.project('shop', {});
  const path = join(shop, 'docs/handbook.md');
  const theirs = makeChroma(join(env.home, 'theirs'), palaceOf(path));
  const before = readFileSync(join(theirs, 'chroma.sqlite3'));
  const untouched = env.fingerprint();
  const dry = schemas.importChromaDryRun.parse(
    await env.json('mempalace', ['import-chroma', theirs, '--dry-run'], 3),
  );
  expect(dry).toMatchObject({ new: 5, collection: 'mempalace_drawers' });
  expect(env.fingerprint()).toBe(untouched);

  const done = schemas.importChroma.parse(await env.json('mempalace', ['import-chroma', theirs], 3));
  expect(done).toMatchObject({
    new: 5,
    dropped: { closet: 1, 'registry sentinel': 1 },
    redacted: { 'aws-access-key-id': 1 },
    skipped_by_reason: { 'drawer without a text': 2 },
  });
  expect(done.drawers_read).toBe(8 + theirChunks(HANDBOOK).length);
  expect(readFileSync(join(theirs, 'chroma.sqlite3')).equals(before)).toBe(true);
  expect(problemsOf(env.palace)).toEqual([]);
  const { sources } = schemas.listSources.parse(await env.json('mempalace', ['list', 'sources']));
  expect(sources.map(({ wing, room, date }) => `${wing}/${room} ${date}`).sort()).toEqual([
    'shop/docs 2025-06-07',
    'shop/notes 2026-01-02',
    'wing_api/technical 2026-01-02',
    'wing_imported/diary 2026-01-02',
    'wing_imported/general 2026-02-03',
  ]);
  const book = sources.find(({ origin }) => origin === path);
  expect(book).toMatchObject({ title: 'Handbook' });
  expect(await env.json('mempalace', ['show', String(book?.source_key)])).toMatchObject({ text: HANDBOOK });
  // By their former ids.
  for (const { id, document } of handbook(path).slice(1, 3)) {
    const { drawer } = schemas.showDrawer.parse(await env.json('mempalace', ['show', id]));
    const line = (document ?? '').split('\n')[0]?.slice(-20) ?? '';
    expect(drawer.text).toContain(line);
  }
  const heron = schemas.showDrawer.parse(
    await env.json('mempalace', ['show', `drawer_shop_notes_${HASH}_chunk_000001`]),
  );
  expect(heron.drawer.text).toContain('And at dusk.');
  expect(heron.source.origin).toBe(`mempalace://drawer_shop_notes_${HASH}`);
  const found = schemas.search.parse(await env.json('mempalace', ['search', 'port of the proxy']));
  expect(found.hits[0]).toMatchObject({ wing: 'wing_api', origin: expect.stringContaining('talk.jsonl') });
  const staged = readdirSync(join(env.cache, 'mempalace-import'), { recursive: true, encoding: 'utf8' });
  expect(staged.filter((name) => name.includes('etc'))).toEqual([]);
  const [run] = schemas.listRuns.parse(await env.json('mempalace', ['list', 'runs'])).runs;
  expect(run).toMatchObject({ command: 'mempalace import-chroma', new: 5, exit_code: 3 });

  // A second import adds nothing, even without the cache.
  expect(await env.json('mempalace', ['import-chroma', theirs], 3)).toMatchObject({
    new: 0,
    changed: 0,
    unchanged: 5,
    drawers_added: 0,
    embedded: 0,
  });

  // A feeder files the file itself, which replaces the imported drawers. Forgotten sources stay forgotten.
  mkdirSync(join(shop, 'docs'));
  writeFileSync(path, HANDBOOK);
  await env.json('mempalace-docs', [shop]);
  await env.json('mempalace', ['forget', '--source', `mempalace://drawer_shop_notes_${HASH}`, '--yes']);
  expect(await env.json('mempalace', ['import-chroma', theirs], 3)).toMatchObject({
    new: 0,
    removed: 1,
    skipped_by_reason: { forgotten: 1, 'filed from its own file': 1 },
  });
  expect(await env.json('mempalace', ['verify'])).toMatchObject({
    documents: { ok: 1, not_checked: 3, missing: 0, stale: 0 },
  });
});

it('reads other versions of the layout, and refuses other folders', async ({ env }) => {
  const old = makeChroma(join(env.home, 'old'), palaceOf('/x/handbook.md'));
  const raw = new Database(join(old, 'chroma.sqlite3'));
  raw.exec(
    'DROP TABLE segments; DROP TABLE collections; ALTER TABLE embedding_metadata DROP COLUMN bool_value',
  );
  raw.exec("UPDATE embeddings SET embedding_id = x'00' WHERE embedding_id LIKE 'sweep%'");
  raw.close();
  const dry = await env.json('mempalace', ['import-chroma', old, '--dry-run'], 3);
  expect(dry).toMatchObject({ new: 4, collection: null, dropped: { closet: 1, 'registry sentinel': 1 } });
  expect(dry.skipped_by_reason).toEqual({ 'drawer without a text': 2, 'row that does not parse': 1 });
  const several = makeChroma(join(env.home, 'several'), { one: [], two: [] });
  const asked = await env.run('mempalace', ['import-chroma', several]);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('one, two') });
  const named = await env.json('mempalace', ['import-chroma', several, '--collection', 'two']);
  expect(named).toMatchObject({ new: 0, collection: 'two' });
  const none = await env.run('mempalace', ['import-chroma', env.home]);
  expect(none).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('there is no') });
  writeFileSync(join(env.home, 'chroma.sqlite3'), 'no database');
  const bad = await env.run('mempalace', ['import-chroma', env.home]);
  expect(bad).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('cannot be read') });
});
