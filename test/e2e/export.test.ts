import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { parse } from 'yaml';
import { modelById } from '../../src/embedding/index.js';
import { Palace, palaceFile } from '../../src/store/index.js';
import { contentOf } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { filingOf, hashOf } from '../support/palace.js';
import { filledMachine, HANDBOOK } from '../support/real-palace.js';
import { problemsOf } from '../support/soundness.js';

const filledEnv = filledMachine();

/** What an export contains and `contentOf` leaves out: marks and forgotten sources. */
function marksOf(palace: string) {
  const database = new Database(palaceFile(palace), { readonly: true });
  const all = (sql: string) => database.prepare(sql).all();
  const marks = {
    sources: all('SELECT source_key, priority, set_priority, pinned FROM sources ORDER BY 1'),
    drawers: all('SELECT drawer_id, added_by, set_priority, pinned, dates, bigrams FROM drawers ORDER BY 1'),
    tombstones: all(
      'SELECT source_key, kind, wing, origin, session_id, project_id, forgotten_at FROM tombstones ORDER BY 1',
    ),
  };
  database.close();
  return marks;
}

type Line = Record<string, unknown> & { type: string };
const linesOf = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
const write = (file: string, lines: readonly unknown[]) =>
  writeFileSync(
    file,
    lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  );

describe('mempalace export --jsonl and import', () => {
  it('recreate every row of the palace, and skip rows that are already there', async () => {
    const { env, garden } = await filledEnv();
    await env.json('mempalace', ['set', 'docs/handbook.md', '--priority', 'high', '--pin']);
    const { hits } = await env.json('mempalace', ['search', 'proxy port']);
    await env.json('mempalace', ['set', String((hits as { drawer_id: string }[])[0]?.drawer_id), '--pin']);
    await env.json('mempalace', ['forget', '--source', join(garden, 'notes.md'), '--yes']);
    const file = join(env.home, 'palace.jsonl');
    const made = await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    expect(made).toMatchObject({ format: 'jsonl', to: file, sources: 5, wing: null });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    const piped = await env.run('mempalace', ['export', '--jsonl']);
    const lines = linesOf(file);
    expect(
      piped.stdout
        .split('\n')
        .slice(1)
        .map((line) => JSON.parse(line)),
    ).toEqual(lines.slice(1));
    expect(lines.map(({ type }) => type).slice(0, 4)).toEqual(['header', 'project', 'project', 'tombstone']);
    expect(lines.at(-1)).toEqual({ type: 'done', sources: 5 });

    const elsewhere = join(env.home, 'elsewhere');
    const into = ['--palace', elsewhere];
    const imported = await env.json('mempalace', ['import', file, ...into]);
    expect(imported).toMatchObject({ new: 5, tombstones: 1, embedded: 0, problems: [] });
    expect(contentOf(elsewhere)).toEqual(contentOf(env.palace));
    expect(marksOf(elsewhere)).toEqual(marksOf(env.palace));
    expect(problemsOf(elsewhere)).toEqual([]);
    expect(await env.json('mempalace', ['import', file, ...into])).toMatchObject({
      new: 0,
      changed: 0,
      unchanged: 5,
      tombstones: 0,
      drawers_added: 0,
    });
    // The feeders recognise their sources: nothing is new, nothing is embedded.
    expect(await env.json('mempalace-session', into)).toMatchObject({ new: 0, changed: 0, embedded: 0 });
    expect(await env.json('mempalace-docs', [garden, ...into])).toMatchObject({
      new: 0,
      skipped_by_reason: { forgotten: 1 },
    });
  }, 120_000);

  it('replace older sources, keep newer ones, and leave forgotten ones out', async () => {
    const { env, shop } = await filledEnv();
    const [old, young] = [join(env.home, 'old.jsonl'), join(env.home, 'young.jsonl')];
    await env.json('mempalace', ['export', '--jsonl', '--to', old]);
    env.edit(join(shop, 'docs/handbook.md'), `${HANDBOOK}\nOtters are exempt.\n`);
    await env.json('mempalace-docs', [shop]);
    await env.json('mempalace', ['export', '--jsonl', '--to', young, '--wing', 'wing_shop']);
    const after = contentOf(env.palace);
    expect(await env.json('mempalace', ['import', old])).toMatchObject({
      changed: 0,
      unchanged: 5,
      skipped_by_reason: { 'not newer than what is filed': 1 },
    });
    expect(contentOf(env.palace)).toEqual(after);

    const elsewhere = join(env.home, 'elsewhere');
    await env.json('mempalace', ['import', old, '--palace', elsewhere]);
    const updated = await env.json('mempalace', ['import', young, '--palace', elsewhere]);
    expect(updated).toMatchObject({ new: 0, changed: 1, unchanged: 1 });
    expect(contentOf(elsewhere)).toEqual(after);

    await env.json('mempalace', ['forget', '--wing', 'wing_shop', '--yes', '--palace', elsewhere]);
    expect(await env.json('mempalace', ['import', young, '--palace', elsewhere])).toMatchObject({
      new: 0,
      skipped_by_reason: { forgotten: 2 },
    });
    const missing = await env.run('mempalace', ['import', 'no-such.jsonl']);
    expect(missing).toMatchObject({ exitCode: 1, stdout: '' });
    expect(missing.stderr).toMatch(/^error: there is no file \S+no-such\.jsonl$/);
    const nowhere = await env.run('mempalace', ['export', '--jsonl', '--wing', 'wing_nowhere']);
    expect(nowhere).toMatchObject({ exitCode: 4, stdout: '', stderr: expect.stringContaining('no wing') });
  }, 120_000);

  it('name a broken line and skip only its source', async () => {
    const { env } = await filledEnv();
    const file = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const lines: unknown[] = linesOf(file);
    const sources = linesOf(file).flatMap(({ type }, at) => (type === 'source' ? [at] : []));
    const [first = 0, second = 0, third = 0] = sources;
    const drawer = linesOf(file).findIndex(({ type }, at) => type === 'drawer' && at > first);
    lines[drawer] = { ...(lines[drawer] as object), vector: 'AAAA' };
    lines[second] = '{"type": "source", "source_key';
    lines[third + 1] = { type: 'text' };
    const broken = join(env.home, 'broken.jsonl');
    write(broken, lines);
    const into = ['--palace', join(env.home, 'elsewhere')];
    const outcome = await env.json('mempalace', ['import', broken, ...into], 3);
    expect(outcome).toMatchObject({ new: 3, skipped_by_reason: { 'unreadable line': 3, incomplete: 3 } });
    const named = (outcome.problems as { origin: string }[]).map(({ origin }) => origin);
    for (const at of [drawer, second, third + 1]) expect(named).toContain(`${broken}:${at + 1}`);
    const cutOff = { origin: `${broken}:${second + 1}`, detail: expect.stringContaining('not JSON') };
    expect(outcome.problems).toContainEqual(expect.objectContaining(cutOff));
    expect(problemsOf(join(env.home, 'elsewhere'))).toEqual([]);
    // The complete export adds what was missing.
    expect(await env.json('mempalace', ['import', file, ...into])).toMatchObject({ new: 3, unchanged: 3 });
    expect(contentOf(join(env.home, 'elsewhere'))).toEqual(contentOf(env.palace));

    // A text with the vector of another text would always be found by the wrong meaning.
    const whole: unknown[] = linesOf(file);
    const [one = 0, two = 0] = linesOf(file).flatMap(({ type }, at) => (type === 'drawer' ? [at] : []));
    whole[one] = {
      ...(whole[one] as object),
      vector_hash: (whole[two] as { vector_hash: string }).vector_hash,
    };
    write(broken, whole);
    const planted = await env.json('mempalace', ['import', broken, '--palace', join(env.home, 'planted')], 3);
    expect(planted).toMatchObject({ new: 5, skipped_by_reason: { incomplete: 1 } });
    expect(JSON.stringify(planted.problems)).toContain('vectors of other texts');

    write(broken, lines.slice(0, sources.at(-1)));
    const short = await env.json('mempalace', ['import', broken, '--palace', join(env.home, 'short')], 3);
    expect(JSON.stringify(short.problems)).toContain('the file ends early');
  }, 120_000);

  it('refuse an export of another model or of a later format, and a file that is not an export', async () => {
    const { env } = await filledEnv();
    const before = contentOf(env.palace);
    const file = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const [header, ...rest] = linesOf(file);
    const other = join(env.home, 'other.jsonl');
    write(other, [{ ...header, model: 'all-MiniLM-L6-v2@1/384' }, ...rest]);
    expect(await env.run('mempalace', ['import', other])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('mempalace reembed --model'),
    });
    write(other, [{ ...header, version: 2 }, ...rest]);
    expect((await env.run('mempalace', ['import', other])).stderr).toContain('update mempalace-toolkit');
    writeFileSync(other, 'Dear diary,\n');
    expect((await env.run('mempalace', ['import', other])).stderr).toContain('is not an export of a palace');
    expect((await env.run('mempalace', ['export', '--jsonl', '--to', other])).stderr).toContain(
      'is not an export',
    );
    expect(readFileSync(other, 'utf8')).toBe('Dear diary,\n');
    expect((await env.run('mempalace', ['import', join(env.home, 'gone')])).exitCode).toBe(1);
    expect((await env.run('mempalace', ['export'])).exitCode).toBe(2);
    expect((await env.run('mempalace', ['export', '--jsonl', '--json'])).exitCode).toBe(2);
    // A wing names a folder of the cache.
    write(other, [
      header,
      ...rest.map((line) => (line.type === 'source' ? { ...line, wing: '../../x' } : line)),
    ]);
    const escaped = await env.json('mempalace', ['import', other, '--palace', join(env.home, 'x')], 3);
    expect(escaped).toMatchObject({ new: 0 });
    expect(contentOf(env.palace)).toEqual(before);
  }, 120_000);

  it('hold back a source that contains secrets', async () => {
    const { env } = await filledEnv();
    const file = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const secret = `ghp_${'a1B2c3D4e5'.repeat(3)}F6g7H8`;
    const lines = linesOf(file).map((line) =>
      line.type === 'text' && String(line.text).includes('heron')
        ? { ...line, text: `${line.text}\ntoken: ${secret}\n` }
        : line,
    );
    write(file, lines);
    const into = ['--palace', join(env.home, 'elsewhere')];
    const held = await env.json('mempalace', ['import', file, ...into], 3);
    expect(held).toMatchObject({ new: 5, skipped_by_reason: { 'held back': 1 } });
    expect(readFileSync(palaceFile(join(env.home, 'elsewhere'))).includes('The heron comes')).toBe(false);
    expect(JSON.stringify(held)).not.toContain(secret);
    expect(await env.json('mempalace', ['import', file, ...into, '--no-redact'])).toMatchObject({ new: 1 });
  }, 120_000);
});

describe('mempalace export of a palace that lacks vectors', () => {
  it('contains all texts; the next run after an import makes the vectors', async ({ env }) => {
    const shop = env.project('shop', { 'a.md': '# A\n\nOne.\n', 'b.md': '# B\n' });
    await env.json('mempalace-docs', [shop]);
    const database = new Database(palaceFile(env.palace));
    database.exec('DELETE FROM embeddings WHERE vector_id = 1');
    database.close();
    const file = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', file]);
    const into = ['--palace', join(env.home, 'elsewhere')];
    expect(await env.json('mempalace', ['import', file, ...into])).toMatchObject({
      new: 2,
      drawers_total: 2,
    });
    const { meaning } = await env.json('mempalace', ['status', ...into]);
    expect(meaning).toEqual({ texts: 2, pending: 1, percent: 50 });
    expect(await env.json('mempalace-docs', [shop, ...into])).toMatchObject({ unchanged: 2, embedded: 1 });
  });
});

describe('mempalace export --to', () => {
  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((item) => item.isFile())
      .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
      .sort();

  it('writes each source whole below its front matter, and updates only its own files', async () => {
    const { env, garden } = await filledEnv();
    const to = join(env.home, 'tree');
    const done = await env.json('mempalace', ['export', '--to', to]);
    expect(done).toMatchObject({ format: 'markdown', sources: 6, removed: 0 });
    const files = filesIn(to);
    expect(files).toEqual([
      '.mempalace-export.json',
      'wing_conversations/shop/2026-03-02 Login broken after the upgrade.md',
      'wing_conversations/shop/2026-03-03 Login broken (fork #1).md',
      'wing_conversations/shop/2026-03-04 Ports.md',
      'wing_garden/general/notes.md',
      'wing_shop/docs/handbook.md',
      'wing_shop/general/README.md',
    ]);
    const notes = readFileSync(join(to, 'wing_garden/general/notes.md'), 'utf8');
    const [, front = '', ...body] = notes.split(/^---\n/m);
    expect(parse(front)).toMatchObject({
      title: 'Beds: north & south',
      wing: 'wing_garden',
      kind: 'document',
      origin: join(garden, 'notes.md'),
    });
    const original = readFileSync(join(garden, 'notes.md'), 'utf8');
    expect(`---\n${body.slice(1).join('---\n')}`).toBe(original);
    for (const name of files) expect((statSync(join(to, name)).mode & 0o777).toString(8)).toBe('600');

    writeFileSync(join(to, 'wing_garden/general/mine.md'), 'my own');
    writeFileSync(join(to, 'wing_shop/docs/handbook (2).md'), 'my own, too');
    env.edit(join(garden, 'notes.md'), 'The heron has left.\n');
    await env.json('mempalace-docs', [garden]);
    await env.json('mempalace', ['forget', '--source', 'docs/handbook.md', '--yes']);
    expect(await env.json('mempalace', ['export', '--to', to, '--wing', 'wing_garden'])).toMatchObject({
      sources: 1,
      removed: 0,
    });
    expect(await env.json('mempalace', ['export', '--to', to])).toMatchObject({ sources: 5, removed: 1 });
    expect(readFileSync(join(to, 'wing_garden/general/notes.md'), 'utf8')).toContain('has left');
    expect(existsSync(join(to, 'wing_shop/docs/handbook.md'))).toBe(false);
    expect(readFileSync(join(to, 'wing_garden/general/mine.md'), 'utf8')).toBe('my own');
    expect(readFileSync(join(to, 'wing_shop/docs/handbook (2).md'), 'utf8')).toBe('my own, too');
  }, 120_000);

  it('numbers equal names, and never writes outside the folder', async ({ env }) => {
    const palace = Palace.write(env.palace, modelById('use-lite'));
    const run = palace.runs.begin({
      command: 'test',
      scope: '',
      narrowed: false,
      versions: {},
      startedMs: 1,
    });
    const embedding = new Float32Array(512).fill(Math.sqrt(1 / 512));
    const places = [
      ['a', '../../escape', '..', '../../../etc/cron.d/evil'],
      ['b', 'wing_a', 'CON', 'nul'],
      ['c', 'wing_a', 'docs', 'Same Title'],
      ['d', 'wing_a', 'docs', 'same title'],
      ['e', 'wing_a', 'docs', 'sa\u202eme/title'],
      ['f', 'wing_linked', 'docs', 'written through a link'],
    ] as const;
    for (const [key, wing, room, title] of places) {
      palace.vectors.keep([{ hash: hashOf(key), embedding }], palace.model);
      const changes = { wing, room, title, kind: 'conversation' as const };
      palace.file(filingOf(key, [key], changes), { id: run, now: '2026-01-02T03:04:05.000Z' });
    }
    palace.close();
    const to = join(env.home, 'deep', 'tree');
    const outside = join(env.home, 'outside');
    mkdirSync(outside);
    mkdirSync(to, { recursive: true });
    symlinkSync(outside, join(to, 'wing_linked'));
    const linked = await env.run('mempalace', ['export', '--to', to]);
    expect(linked).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('it is a link or a file') });
    rmSync(join(to, 'wing_linked'));
    for (const _ of [1, 2]) {
      await env.json('mempalace', ['export', '--to', to]);
      expect(filesIn(to).filter((name) => !name.startsWith('.'))).toEqual([
        '__.._escape/_/2026-01-02 .._.._.._etc_cron.d_evil.md',
        'wing_a/_CON/2026-01-02 nul.md',
        'wing_a/docs/2026-01-02 Same Title.md',
        'wing_a/docs/2026-01-02 sa_me_title.md',
        'wing_a/docs/2026-01-02 same title (2).md',
        'wing_linked/docs/2026-01-02 written through a link.md',
      ]);
    }
    expect(readdirSync(outside)).toEqual([]);
    expect(readdirSync(join(env.home, 'deep'))).toEqual(['tree']);
    // An edited record cannot name a file outside the folder.
    writeFileSync(join(env.home, 'precious.md'), 'precious');
    const record = JSON.parse(readFileSync(join(to, '.mempalace-export.json'), 'utf8'));
    record.files.gone = '../../precious.md';
    writeFileSync(join(to, '.mempalace-export.json'), JSON.stringify(record));
    await env.json('mempalace', ['export', '--to', to]);
    expect(readFileSync(join(env.home, 'precious.md'), 'utf8')).toBe('precious');
  }, 120_000);
});
