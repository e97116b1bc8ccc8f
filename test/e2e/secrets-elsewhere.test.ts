import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { random } from '../sanitiser/secrets.js';
import { it } from '../support/it-env.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { problemsOf } from '../support/soundness.js';
import type { TestEnv } from '../support/test-env.js';
import { textsWith, traces } from '../support/traces.js';

const VALUE = random(32);
const GIVEN_AWAY = `DB_PASSWORD="${VALUE}"`;
const TOKENS = [1, 2].map((seed) => `gh${'p'}_${random(36, undefined, seed)}`);
const [TOKEN = '', OTHER = ''] = TOKENS;

/** Contents and names of files in palace, cache and logs. */
function left(env: TestEnv, ...needles: string[]): string[] {
  const folders = [join(env.home, '.mempalace'), env.cache, join(env.home, '.local', 'state')];
  const names = folders.flatMap((folder) => {
    try {
      return readdirSync(folder, { recursive: true, encoding: 'utf8' });
    } catch {
      return [];
    }
  });
  const named = names.filter((name) => needles.some((needle) => name.includes(needle)));
  return [...traces(env, ...needles), ...textsWith(env, ...needles), ...named];
}

function transcript(sessionId: string, agentId: string | undefined, text: string): string {
  const turn = (type: string, said: string, index: number) =>
    JSON.stringify({
      type,
      uuid: `u${index}`,
      sessionId,
      ...(agentId === undefined ? {} : { agentId, isSidechain: true }),
      cwd: '/home/me/shop',
      timestamp: '2026-02-01T10:00:00.000Z',
      message: { role: type, content: said },
    });
  return `${turn('user', text, 0)}\n${turn('assistant', 'Done.', 1)}\n`;
}

describe('a secret that is recognised once', () => {
  it('is removed completely from documents, sessions and written texts', async ({ env }) => {
    const shop = env.project('shop', {
      'README.md': `# Shop ${VALUE}\n\nRun with ${VALUE}.\n\n    ${GIVEN_AWAY}\n\n## Again ${VALUE}\n\nText.\n`,
    });
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    const parent = history.addSession({
      title: 'Parent',
      messages: exchange(`Please try ${VALUE} here`, 'Yes.'),
    });
    await env.json('mempalace-docs', [shop]);
    await env.json('mempalace-session', ['--min-messages', '1']);
    expect(left(env, VALUE)).not.toEqual([]);
    history.addSession({ title: 'Child', parent, messages: exchange(GIVEN_AWAY, 'Yes.') });
    history.close();
    await env.json('mempalace-session', ['--min-messages', '1']);
    await env.json('mempalace', ['diary', 'write', `it was ${VALUE}\n${GIVEN_AWAY}`, '--agent', 'tester']);
    expect(left(env, VALUE)).toEqual([]);
    expect(problemsOf(env.palace)).toEqual([]);
    const { drawers_added: added } = await env.json('mempalace-session', ['--min-messages', '1']);
    expect(added).toBe(0);
    const verified = await env.run('mempalace', ['verify', '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ sessions: { ok: 2, stale: 0 } });
  });

  it('is scrubbed from all earlier sources of its session', async ({ env }) => {
    const talks = env.project('talks', {
      'one.jsonl': transcript('55555555-eeee', undefined, `Please use ${VALUE} for this`),
      'agent-a1.jsonl': transcript('55555555-eeee', 'a1', `It is ${GIVEN_AWAY} then`),
      'two.jsonl': transcript('66666666-eeee', undefined, `Unrelated digest ${VALUE} here`),
    });
    await env.json('mempalace', ['mine', talks, '--mode', 'convos', '--no-redact']);
    expect(textsWith(env, VALUE)).toHaveLength(3);
    await env.json('mempalace', ['scrub']);
    expect(textsWith(env, VALUE)).toHaveLength(1);
    expect(problemsOf(env.palace)).toEqual([]);
    expect(await env.json('mempalace', ['scrub', '--all'])).toMatchObject({ redacted: {} });
  });
});

describe('a token in a name', () => {
  const files = {
    'README.md': '# Shop\n\nWe sell things.\n',
    [`backup-${TOKEN}.md`]: '# One\n\nThe first backup.\n',
    [`backup-${OTHER}.md`]: '# Two\n\nThe second backup.\n',
    [`${TOKEN}/deep/notes.md`]: '# Deep\n\nIn a folder of that name.\n',
  };

  it('is not stored or shown; two files stay two, and nothing is filed twice', async ({ env }) => {
    const shop = env.project('shop', files);
    const outcomes = [
      await env.run('mempalace-docs', [shop, '--dry-run', '--verbose']),
      await env.run('mempalace-docs', [shop, '--verbose', '--log-file', join(env.home, '.mempalace', 'log')]),
      await env.run('mempalace-docs', [shop, '--json']),
      await env.run('mempalace', ['verify', '--json']),
      await env.run('mempalace', ['list', 'sources', '--json']),
      await env.run('mempalace', ['search', 'backup', '--json']),
      await env.run('mempalace', ['doctor', '--json']),
    ];
    for (const { stdout, stderr } of outcomes)
      for (const token of TOKENS) expect(stdout + stderr).not.toContain(token);
    expect(left(env, ...TOKENS)).toEqual([]);
    expect(JSON.parse(outcomes[2]?.stdout ?? '')).toMatchObject({ new: 0, unchanged: 4, removed: 0 });
    expect(JSON.parse(outcomes[3]?.stdout ?? '')).toMatchObject({ documents: { ok: 4 } });
    expect(outcomes[4]?.stdout.match(/backup-\[REDACTED:github-token\]-[0-9a-f]{8}\.md/g)).not.toBeNull();
    expect(outcomes[4]?.stdout).toContain('README.md');
  });

  it('does not prevent forget by the real path, renaming, or the removal of deleted files', async ({
    env,
  }) => {
    const shop = env.project('shop', files);
    await env.json('mempalace-docs', [shop]);
    const one = join(shop, `backup-${TOKEN}.md`);
    await env.json('mempalace', ['forget', '--source', one, '--yes']);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 0, unchanged: 3, removed: 0 });
    renameSync(one, join(shop, 'free.md'));
    rmSync(join(shop, `backup-${OTHER}.md`));
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 1, unchanged: 2, removed: 1 });
    expect(left(env, ...TOKENS)).toEqual([]);
  });

  it('can be in the project folder or above it', async ({ env }) => {
    mkdirSync(join(env.home, TOKEN));
    const shop = env.project(`${TOKEN}/shop-${OTHER}`, { 'a.md': '# A\n\nText of a.\n' });
    await env.json('mempalace-docs', [shop]);
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ new: 0, unchanged: 1 });
    const verified = await env.run('mempalace', ['verify', '--json']);
    expect(JSON.parse(verified.stdout)).toMatchObject({ documents: { ok: 1 } });
    expect(left(env, ...TOKENS)).toEqual([]);
  });

  it('can be in the name of a transcript and of its folder', async ({ env }) => {
    const talks = env.project(`talks-${TOKEN}`, {
      [`run-${OTHER}.jsonl`]: transcript('77777777-eeee', undefined, 'A long enough question about the shop'),
      [`bad-${OTHER}.jsonl`]: 'not json\n',
    });
    const outcomes = [
      await env.run('mempalace', ['mine', talks, '--mode', 'convos', '--verbose']),
      await env.run('mempalace', ['mine', talks, '--mode', 'convos', '--json']),
      await env.run('mempalace', ['verify', '--json']),
    ];
    for (const { stdout, stderr } of outcomes)
      for (const token of TOKENS) expect(stdout + stderr).not.toContain(token);
    expect(JSON.parse(outcomes[1]?.stdout ?? '')).toMatchObject({ new: 0, unchanged: 1 });
    expect(left(env, ...TOKENS)).toEqual([]);
  });
});
