import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { it } from '../support/it-env.js';
import { schemas } from '../support/json-schemas.js';

const NOTES = {
  'chambers/01_agent/accumulated_knowledge.md': '# Knowledge\n\nInvoices are numbered by the ledger.\n',
  'chambers/02_agent/notes.md': '# Notes\n\nInvoices are printed on Thursdays.\n',
  'archive_basement/old.md': '# Old\n\nInvoices were once written by hand.\n',
};

describe('mempalace init --layout palace', () => {
  it('leaves the settings as they are when a file is in the way', async ({ env }) => {
    const palace = env.project('palace', { chambers: 'a file' });
    const before = env.fingerprint();
    const failed = await env.run('mempalace', ['init', '--layout', 'palace', palace, '--yes']);
    expect([failed.exitCode, failed.stderr]).toEqual([1, expect.stringContaining('is not a folder')]);
    expect(env.fingerprint()).toBe(before);
  });

  it('makes folders whose documents are filed by room, and leaves the archive out of searches', async ({
    env,
  }) => {
    const palace = join(env.home, 'palace');
    const before = env.fingerprint();
    const dry = await env.json('mempalace', ['init', '--layout', 'palace', palace, '--dry-run']);
    expect(schemas.initLayout.parse(dry)).toMatchObject({ made: [], kept: [], dry_run: true });
    expect(env.fingerprint()).toBe(before);

    const made = await env.json('mempalace', ['init', '--layout', 'palace', palace, '--yes']);
    expect(schemas.initLayout.parse(made)).toMatchObject({
      wing: 'wing_palace',
      cold: { place: 'wing_palace/archive_basement', added: true },
    });
    const settled = env.fingerprint();
    const again = await env.json('mempalace', ['init', '--layout', 'palace', palace]);
    expect(schemas.initLayout.parse(again)).toMatchObject({ made: [], cold: { added: false } });
    expect(env.fingerprint()).toBe(settled);

    env.project('palace', NOTES);
    await env.json('mempalace-docs', [palace]);
    const status = schemas.status.parse(await env.json('mempalace', ['status']));
    expect(status.wings.map(({ wing }) => wing)).toEqual(['wing_palace']);
    expect(
      Object.fromEntries(status.wings[0]?.rooms.map(({ room, sources }) => [room, sources]) ?? []),
    ).toEqual({
      '01_agent': 1,
      '02_agent': 1,
      archive_basement: 2,
      chambers: 1,
      conflict_room: 1,
      dispatch_corridor: 1,
      grand_hall: 1,
      project_rooms: 1,
      reflection_wing: 1,
    });
    const found = async (...flags: string[]) =>
      schemas.search
        .parse(await env.json('mempalace', ['search', 'invoices written by hand', '--limit', '9', ...flags]))
        .hits.map(({ room }) => room);
    expect(await found()).not.toContain('archive_basement');
    expect(await found('--cold')).toContain('archive_basement');
    expect(await found('--room', 'archive_basement')).toContain('archive_basement');
  });

  it('keeps the settings, and a project alone cannot make a room cold', async ({ env }) => {
    const settings = join(env.home, '.config/mempalace/config.yaml');
    env.project('.config/mempalace', { 'config.yaml': '# mine\nsearch:\n  cold: [wing_old]\n' });
    const palace = env.project('palace', {
      'mempalace.yaml': 'wing: notes\nrooms:\n  - name: archive_basement\n    cold: true\n',
      ...NOTES,
    });
    const layout = await env.run('mempalace', ['init', '--layout', 'palace', palace, '--dry-run']);
    expect(layout.stderr).toContain('add the room chambers with by_folder: true');
    const { stderr } = await env.run('mempalace-docs', [palace]);
    expect(stderr).toContain('note: mempalace.yaml calls notes/archive_basement cold, and searches find it');
    await env.json('mempalace', ['init', '--layout', 'palace', palace, '--yes']);
    expect(readFileSync(settings, 'utf8')).toBe(
      '# mine\nsearch:\n  cold: [ wing_old, notes/archive_basement ]\n',
    );
    expect((await env.run('mempalace-docs', [palace])).stderr).not.toContain('calls');
  });

  it('does not change the settings where they are not a file', async ({ env }) => {
    const args = ['init', '--layout', 'palace', join(env.home, 'palace'), '--yes'];
    const outcome = await env.run('mempalace', args, { MEMPALACE_CONFIG: '/dev/null' });
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain('/dev/null is not a file that can be changed');
  });
});

describe('a watchdog manifest', () => {
  it('ranks and types documents, names wrong lines, and never pins', async ({ env }) => {
    const folder = env.project('notes', NOTES);
    const file = join(folder, 'watchdog_manifest_v1.jsonl');
    const made = schemas.manifest.parse(await env.json('mempalace', ['manifest', folder]));
    expect(made).toMatchObject({ listed: 0, wrong: [], written: true });
    expect(made.added).toHaveLength(3);
    const again = schemas.manifest.parse(await env.json('mempalace', ['manifest', folder]));
    expect(again).toMatchObject({ listed: 3, added: [], gone: [], written: false });
    await env.json('mempalace-docs', [folder]);

    const path = 'chambers/02_agent/notes.md';
    env.edit(file, `{"path":"../../x.md"}\n{"path":"${path}","type":"palace","priority":"high"}\n`);
    const outcome = await env.run('mempalace-docs', [folder]);
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toContain(`${file}:1`);
    expect(outcome.stdout).toContain('0 new, 0 changed');
    const listed = schemas.listSources.parse(
      await env.json('mempalace', ['list', 'sources', '--type', 'palace']),
    );
    expect(listed.sources).toMatchObject([{ priority: 'high', priority_from: 'manifest', pinned: false }]);
    const found = ['search', 'invoices', '--type', 'palace', '--priority', 'high'];
    expect(schemas.search.parse(await env.json('mempalace', found)).hits).toHaveLength(1);
    expect((await env.run('mempalace', ['wake-up', '--everywhere'])).stdout).not.toContain('Thursdays');

    env.edit(file, '');
    expect((await env.run('mempalace-docs', [folder])).exitCode).toBe(0);
    const none = await env.run('mempalace', ['list', 'sources', '--type', 'palace']);
    expect([none.exitCode, none.stderr]).toEqual([4, expect.stringContaining('there is no type "palace"')]);
  });

  it('that is wrong is named by mempalace manifest, too', async ({ env }) => {
    const folder = env.project('notes', { ...NOTES, 'watchdog_manifest_v1.jsonl': 'no\n' });
    const { exitCode, stderr } = await env.run('mempalace', ['manifest', folder]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('watchdog_manifest_v1.jsonl:1: not JSON');
    expect(readFileSync(join(folder, 'watchdog_manifest_v1.jsonl'), 'utf8')).toMatch(/^no\n\{"path":/);
  });
});

describe('mempalace map', () => {
  it('shows rooms as a tree, and writes them into the grand_hall', async ({ env }) => {
    const palace = join(env.home, 'palace');
    await env.json('mempalace', ['init', '--layout', 'palace', palace, '--yes']);
    env.project('palace', { ...NOTES, 'chambers/a|b<!--/c.md': '# C\n\nText.\n' });
    await env.json('mempalace-docs', [palace]);
    const { stdout } = await env.run('mempalace', ['map']);
    expect(stdout).toMatch(
      /^│ wing_palace\t11 sources\t11 drawers\t\d{4}-\d\d-\d\d\t\n│ ├ 01_agent\t1 source\t/,
    );
    expect(stdout).toMatch(/\n│ ├ archive_basement\t2 sources\t2 drawers\t\S+\tcold\n/);
    expect(stdout).toMatch(/\n│ └ reflection_wing\t/);
    const shown = schemas.map.parse(await env.json('mempalace', ['map', '--wing', 'wing_palace']));
    expect(shown.wings[0]?.rooms.filter(({ cold }) => cold).map(({ room }) => room)).toEqual([
      'archive_basement',
    ]);
    expect((await env.run('mempalace', ['map', '--wing', 'wing_x'])).stderr).toContain('no wing "wing_x"');

    const write = ['map', '--write', palace];
    const file = join(palace, 'grand_hall/room_map.md');
    expect(schemas.map.parse(await env.json('mempalace', write))).toMatchObject({ file, changed: true });
    expect(schemas.map.parse(await env.json('mempalace', write))).toMatchObject({ file, changed: false });
    const text = readFileSync(file, 'utf8');
    expect(text).toMatch(/\n## wing\\_palace\n\n11 sources, 11 drawers, last activity \S+\n/);
    expect(text).toContain('\n| a\\|b\\<\\!-- | 1 | 1 | ');
    expect(text).toContain('\n| archive\\_basement (cold) | 2 | 2 | ');
    await env.json('mempalace-docs', [palace]);
    expect(await env.json('mempalace', write)).toMatchObject({ changed: true });
  });

  it('replaces nothing that it did not write, and writes nothing without a grand_hall', async ({ env }) => {
    const notes = env.project('notes', NOTES);
    await env.json('mempalace-docs', [notes]);
    const missing = await env.run('mempalace', ['map', '--write', notes]);
    expect([missing.exitCode, missing.stderr]).toEqual([2, expect.stringContaining('init --layout palace')]);
    env.project('notes', { 'grand_hall/room_map.md': '# Mine\n' });
    const refused = await env.run('mempalace', ['map', '--write', notes]);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('did not write it')]);
    expect(readFileSync(join(notes, 'grand_hall/room_map.md'), 'utf8')).toBe('# Mine\n');
  });
});
