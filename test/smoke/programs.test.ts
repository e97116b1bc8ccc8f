import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { RawServer } from '../support/raw-server.js';
import { TestEnv } from '../support/test-env.js';

/** Each built program once, and its most common failure. All other tests of programs are in `npm run test:all`. */

const TRANSCRIPTS = fileURLToPath(new URL('../fixtures/transcripts/claude-code/2.1.330/', import.meta.url));

async function filled(): Promise<TestEnv> {
  const env = new TestEnv();
  const shop = env.project('shop', {
    'docs/handbook.md': '# Handbook\n\nMoney is rounded once, on the total, never per line item.\n',
  });
  expect(await env.spawnJson('mempalace-docs', [shop])).toMatchObject({
    new: 1,
    drawers_added: 1,
    problems: [],
  });
  return env;
}

function withHistory(env: TestEnv): TestEnv {
  env.project('.local/share/opencode', {});
  const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
  const said = [
    ...exchange('Why does sign-in fail?', 'The cookie is strict.'),
    ...exchange('Fix it.', 'Done.'),
  ];
  history.addSession({ title: 'Login', messages: said });
  history.close();
  return env;
}

describe('mempalace-docs', () => {
  it('files a folder once, and finds it by meaning', async () => {
    const env = await filled();
    expect(await env.spawnJson('mempalace-docs', [join(env.home, 'shop')])).toMatchObject({
      new: 0,
      unchanged: 1,
    });
    const { hits } = await env.spawnJson('mempalace', ['search', 'how are prices rounded']);
    expect(hits).toMatchObject([{ title: 'Handbook', wing: 'wing_shop', room: 'docs' }]);
  });

  it('changes nothing in a dry run', async () => {
    const env = new TestEnv();
    const before = [env.project('shop', { 'README.md': '# Shop\n' }), env.fingerprint()];
    expect(await env.spawnJson('mempalace-docs', [String(before[0]), '--dry-run'])).toMatchObject({ new: 1 });
    expect(env.fingerprint()).toBe(before[1]);
  });

  it('names a folder that does not exist', async () => {
    const outcome = await new TestEnv().spawn('mempalace-docs', ['nowhere']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toMatch(/^error: .*nowhere/);
  });

  it('names the line of a wrong mempalace.yaml', async () => {
    const env = new TestEnv();
    const shop = env.project('shop', { 'README.md': '# Shop\n', 'mempalace.yaml': 'wing: [1\n' });
    expect(await env.spawn('mempalace-docs', [shop])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('mempalace.yaml:'),
    });
  });
});

describe('mempalace-session', () => {
  it('files sessions of opencode once', async () => {
    const env = withHistory(new TestEnv());
    expect(await env.spawnJson('mempalace-session', [])).toMatchObject({ new: 1, problems: [] });
    expect(await env.spawnJson('mempalace-session', [])).toMatchObject({
      new: 0,
      unchanged: 1,
      drawers_added: 0,
    });
  });

  it('files transcripts of another program', async () => {
    const env = new TestEnv();
    cpSync(join(TRANSCRIPTS, 'projects'), join(env.home, '.claude/projects'), { recursive: true });
    expect(await env.spawnJson('mempalace-session', ['--from', 'claude-code'])).toMatchObject({
      problems: [],
    });
    const { hits } = await env.spawnJson('mempalace', ['search', 'USER-PROMPT-1', '--limit', '1']);
    expect(hits).toMatchObject([{ wing: 'wing_conversations' }]);
  });

  it('names the searched paths of a database', async () => {
    const outcome = await new TestEnv().spawn('mempalace-session', []);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('no opencode database found');
  });
});

describe('mempalace', () => {
  it('shows, lists and checks filed sources', async () => {
    const env = await filled();
    for (const [args, words] of [
      [['show', 'docs/handbook.md'], 'never per line item'],
      [['wake-up', '--everywhere'], 'wing_shop'],
      [['status'], '1 drawer from 1 source'],
      [['repair-status'], ''],
    ] as const) {
      const outcome = await env.spawn('mempalace', args);
      expect([args, outcome.exitCode]).toEqual([args, 0]);
      expect(outcome.stdout).toContain(words);
    }
    expect(await env.spawnJson('mempalace', ['doctor'])).toMatchObject({ failures: 0 });
  });

  it('forgets a source permanently', async () => {
    const env = await filled();
    await env.spawnJson('mempalace', [
      'forget',
      '--source',
      join(env.home, 'shop/docs/handbook.md'),
      '--yes',
    ]);
    expect(await env.spawnJson('mempalace-docs', [join(env.home, 'shop')])).toMatchObject({ new: 0 });
  });

  it('has nothing to search before the first run', async () => {
    const outcome = await new TestEnv().spawn('mempalace', ['search', 'anything']);
    expect(outcome.exitCode).toBe(1);
    expect(outcome.stderr).toContain('mempalace-docs');
  });

  it('suggests a command for a mistyped one', async () => {
    const outcome = await new TestEnv().spawn('mempalace', ['serach']);
    expect(outcome).toMatchObject({ exitCode: 2, stdout: '' });
    expect(outcome.stderr).toContain('search');
  });

  it('answers a hook in spite of errors', async () => {
    const env = new TestEnv();
    const hook = env.start(
      'mempalace',
      ['hook', 'run', '--hook', 'stop', '--harness', 'claude-code'],
      'pipe',
    );
    hook.stdin?.end('not JSON');
    expect(await hook).toMatchObject({ exitCode: 0, stdout: '{}' });
  });
});

describe('mempalace-mcp', () => {
  it('starts, searches, and ends with its client', async () => {
    const env = await filled();
    const server = new RawServer(env);
    await server.open();
    expect(JSON.stringify(await server.call(1, 'search', { query: 'rounded' }))).toContain(
      'never per line item',
    );
    server.process.stdin.end();
    expect(await server.ended).toBe(0);
    expect(server.stderr).toBe('');
  });

  it('refuses a tool that does not exist', async () => {
    expect(await new TestEnv().spawn('mempalace-mcp', ['--tools', 'serach'])).toMatchObject({
      exitCode: 2,
      stdout: '',
    });
  });
});
