import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { joinedDrawers } from '../support/drawers.js';
import { schemas } from '../support/json-schemas.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

function configured(config: string): TestEnv {
  const env = new TestEnv();
  configure(env, config);
  return env;
}

function configure(env: TestEnv, config: string): void {
  env.project('.config/mempalace', { 'config.yaml': config });
}

function historyOf(env: TestEnv, question: string): void {
  const folder = join(env.home, '.local/share/opencode');
  mkdirSync(folder, { recursive: true });
  const history = new OpencodeDatabase(join(folder, 'opencode.db'));
  history.addSession({
    title: 'A talk',
    messages: [...exchange(question, 'Yes.'), ...exchange('And then?', 'Nothing more.')],
  });
  history.close();
}

const texts = (palace: string) => [...joinedDrawers(palace).values()].join('\n');

describe('mempalace config', () => {
  it('shows the settings in force and where each comes from', async () => {
    const env = configured('search:\n  limit: 7\n');
    const file = join(env.home, '.config/mempalace/config.yaml');
    const variables = { MEMPALACE_SEARCH_BY: 'source' };
    const shown = await env.run('mempalace', ['config', 'show', '--origin', '--palace', '/p'], variables);
    expect(shown).toMatchObject({ exitCode: 0, stderr: '' });
    expect(shown.stdout.split('\n')).toEqual(
      expect.arrayContaining([
        'palace: /p # --palace',
        'model: use-lite-int8 # default',
        `  limit: 7 # ${file}:2`,
        '  by: source # MEMPALACE_SEARCH_BY',
      ]),
    );
    expect((await env.run('mempalace', ['config'])).stdout).not.toContain('#');
    expect(await env.json('mempalace', ['config', 'show'])).toMatchObject({
      file: { path: file, exists: true },
      settings: { palace: env.palace, search: { limit: 7, half_life: '30d' } },
      origins: { 'search.limit': `${file}:2`, 'search.rank': 'default' },
    });
  });

  it('prints path and schema, also when the file is malformed', async () => {
    const env = configured('nonsense: 1\n');
    const path = join(env.home, '.config/mempalace/config.yaml');
    expect(await env.run('mempalace', ['config', 'path'])).toMatchObject({ exitCode: 0, stdout: path });
    const schema = await env.run('mempalace', ['config', 'schema']);
    const kept = readFileSync(new URL('../../docs/config.schema.json', import.meta.url), 'utf8');
    expect(JSON.parse(schema.stdout)).toEqual(JSON.parse(kept));
    expect((await env.run('mempalace', ['config', 'schema', '--origin'])).exitCode).toBe(2);
    const elsewhere = { XDG_CONFIG_HOME: '/nowhere' };
    expect(await env.run('mempalace', ['config', 'path'], elsewhere)).toMatchObject({
      stdout: '/nowhere/mempalace/config.yaml',
      stderr: 'the file does not exist yet',
    });
  });

  it('changes a setting and removes it, and says what overrides it', async () => {
    const env = configured('# mine\nsearch:\n  limit: 7 # seven\n');
    const file = join(env.home, '.config/mempalace/config.yaml');
    const changed = await env.json('mempalace', ['config', 'set', 'search.limit', '8']);
    expect(schemas.configChanged.parse(changed)).toEqual({
      ...{ key: 'search.limit', file, changed: true, former: 7, value: 8, in_force: 8, origin: `${file}:3` },
    });
    expect(readFileSync(file, 'utf8')).toBe('# mine\nsearch:\n  limit: 8 # seven\n');
    const overridden = await env.run('mempalace', ['config', 'set', 'search.limit', '9'], {
      MEMPALACE_SEARCH_LIMIT: '4',
    });
    expect(overridden).toMatchObject({ exitCode: 0, stdout: `search.limit is now 9 in ${file}, was 8` });
    expect(overridden.stderr).toContain('MEMPALACE_SEARCH_LIMIT sets 4 and overrides the file');
    await env.run('mempalace', ['config', 'set', 'search.cold', 'wing_a', 'wing_b/c']);
    expect(await env.json('mempalace', ['config'])).toMatchObject({
      settings: { search: { limit: 9, cold: ['wing_a', 'wing_b/c'] } },
    });
    const removed = await env.run('mempalace', ['config', 'unset', 'search.limit']);
    expect(removed.stdout).toBe(`search.limit is removed from ${file}, was 9\nin force: 5 (default)`);
    for (const wrong of [
      ['search.limit', 'eight'],
      ['search.limt', '8'],
      ['search.limit'],
      ['uses', 'on', 'off'],
    ])
      expect([wrong, (await env.run('mempalace', ['config', 'set', ...wrong])).exitCode]).toEqual([wrong, 2]);
    expect(readFileSync(file, 'utf8')).not.toContain('limit');
  });

  it('a malformed file ends every program with 2 before anything is done', async () => {
    const env = configured('search:\n  limt: 3\n');
    const project = env.project('shop', { 'README.md': '# Shop\n' });
    const before = env.fingerprint();
    for (const [program, args] of [
      ['mempalace', ['status']],
      ['mempalace', ['mine', project]],
      ['mempalace', ['config', 'show']],
      ['mempalace-docs', [project]],
      ['mempalace-session', []],
    ] as const) {
      const { exitCode, stdout, stderr } = await env.run(program, args);
      expect({ exitCode, stdout }, program).toEqual({ exitCode: 2, stdout: '' });
      expect(stderr).toBe(
        `error: ${env.home}/.config/mempalace/config.yaml:2:3: search: there is no setting "limt"\n  hint: did you mean limit?`,
      );
    }
    expect(env.fingerprint()).toBe(before);
  });
});

describe('the palace of the configuration', () => {
  it('is used by all programs, unless the environment or a flag names another', async () => {
    const env = configured('palace: ~/memory\n');
    const project = env.project('shop', { 'README.md': '# Shop\n\nIt sells.\n' });
    historyOf(env, 'Does the shop sell?');
    await env.json('mempalace-docs', [project]);
    await env.json('mempalace-session', ['--min-messages', '1']);
    const palace = join(env.home, 'memory');
    expect(existsSync(env.palace)).toBe(false);
    expect(await env.json('mempalace', ['status'])).toMatchObject({ palace, sources: 2 });

    const variables = { MEMPALACE_PALACE_PATH: join(env.home, 'other') };
    expect((await env.run('mempalace-docs', [project], variables)).exitCode).toBe(0);
    const third = join(env.home, 'third');
    expect((await env.run('mempalace-docs', [project, '--palace', '~/third'], variables)).exitCode).toBe(0);
    for (const folder of [variables.MEMPALACE_PALACE_PATH, third]) {
      expect(await env.json('mempalace', ['status', '--palace', folder])).toMatchObject({
        palace: folder,
        sources: 1,
      });
    }
  });
});

describe('privacy', () => {
  it('excluded documents are not filed, and are removed by the next run', async () => {
    const env = new TestEnv();
    const files = {
      'README.md': '# Shop\n',
      'diary/monday.md': '# Monday\n',
      'a.md': '# A\n',
      'b.md': '# B\n',
    };
    const project = env.project('shop', {
      ...files,
      'mempalace.yaml': "exclude_patterns: ['b.md', '!diary/']\n",
    });
    expect(await env.json('mempalace-docs', [project])).toMatchObject({ new: 3 });
    configure(env, "privacy:\n  exclude_patterns: ['diary/']\n");
    expect(await env.json('mempalace-docs', [project, '--dry-run'])).toMatchObject({
      unchanged: 2,
      removed: 1,
    });
    expect(await env.json('mempalace-docs', [project])).toMatchObject({
      unchanged: 2,
      removed: 1,
      problems: [],
    });
    expect(texts(env.palace)).not.toContain('Monday');
    expect(await env.json('mempalace-docs', [project])).toMatchObject({ unchanged: 2, removed: 0 });
  });

  it('rules redact documents, sessions and transcripts; changed rules file them again', async () => {
    const env = new TestEnv();
    const project = env.project('shop', { 'README.md': '# Shop\n\nSee ACME-1234 and JIRA-77.\n' });
    historyOf(env, 'What became of ACME-5678?');
    const transcript = {
      sessionId: '11111111-aaaa',
      cwd: '/work/shop',
      version: '2.0.1',
      timestamp: '2026-02-01T10:00:00.000Z',
      type: 'user',
      uuid: 'u1',
      message: { role: 'user', content: 'And of ACME-9999?' },
    };
    const talks = env.project('talks', { 'one.jsonl': `${JSON.stringify(transcript)}\n` });
    const runs = [
      () => env.json('mempalace-docs', [project]),
      () => env.json('mempalace-session', ['--min-messages', '1']),
      () => env.json('mempalace', ['mine', talks, '--mode', 'convos']),
    ];
    for (const run of runs) expect(await run()).toMatchObject({ new: 1, problems: [] });
    expect(
      texts(env.palace)
        .match(/ACME-\d+/g)
        ?.sort(),
    ).toEqual(['ACME-1234', 'ACME-5678', 'ACME-9999']);

    configure(env, "privacy:\n  rules:\n    - { kind: ticket, pattern: 'ACME-\\d{4,8}' }\n");
    expect(await env.json('mempalace-docs', [project, '--dry-run'])).toMatchObject({ changed: 1 });
    for (const run of runs) expect(await run()).toMatchObject({ changed: 1, problems: [] });
    expect(texts(env.palace)).not.toContain('ACME');
    expect(texts(env.palace).match(/\[REDACTED:ticket\]/g)).toHaveLength(3);
    for (const run of runs) expect(await run()).toMatchObject({ changed: 0, unchanged: 1 });

    configure(env, "privacy:\n  rules:\n    - { kind: ticket, pattern: '(?:ACME|JIRA)-\\d{2,8}' }\n");
    expect(await runs[0]?.()).toMatchObject({ changed: 1 });
    expect(texts(env.palace)).not.toContain('JIRA');
    // The last run used other rules: `--since` without a value does not start from it.
    const since = ['--min-messages', '1', '--since'];
    expect(await env.json('mempalace-session', since)).toMatchObject({ changed: 1 });
    expect(await env.json('mempalace-session', since)).toMatchObject({ changed: 0, skipped: 1 });
  });
});
