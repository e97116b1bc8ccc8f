import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { filesIn } from '../support/files-in.js';
import { it } from '../support/it-env.js';
import { schemas } from '../support/json-schemas.js';
import { kimiFiles } from '../support/kimi.js';
import { logOf } from '../support/logs.js';
import { TestEnv } from '../support/test-env.js';

describe('mempalace-session --from', () => {
  it.each([
    ['claude-code', '.claude/projects/-code-shop'],
    ['codex', '.codex/sessions/2026/03/04'],
    ['pi', '.pi/agent/sessions/--code-shop--'],
  ])('%s: files what lies in its folder, once; short and old ones stay out', async (harness, folder) => {
    const env = new TestEnv();
    const made = (id: string, ...said: string[]) => {
      const { head, message } = logOf(harness, id);
      return [...head, ...said.map((text, index) => message(index, text))];
    };
    filesIn(
      {
        'long.jsonl': made('long-1', 'Which port?', '8443, of the zebra gateway.', 'Thanks.'),
        'short.jsonl': made('short-1', 'Hi.'),
        'old.jsonl': made('old-1', 'Once?', 'Upon a time.', 'I see.'),
      },
      join(env.home, folder),
    );
    const longAgo = new Date('2020-01-01');
    utimesSync(join(env.home, folder, 'old.jsonl'), longAgo, longAgo);
    const args = ['--from', harness, '--since', '2024-01-01'];
    const before = env.fingerprint();
    const dry = schemas.mineDryRun.parse(await env.json('mempalace-session', [...args, '--dry-run']));
    expect(dry).toMatchObject({
      new: 1,
      skipped_by_reason: { 'not changed since': 1, 'fewer than 3 messages': 1 },
    });
    expect(env.fingerprint()).toBe(before);
    const filed = schemas.mine.parse(await env.json('mempalace-session', args));
    expect(filed).toMatchObject({ new: 1, skipped: 2 });
    const { hits } = await env.json('mempalace', ['search', 'zebra gateway', '--limit', '1']);
    expect(JSON.stringify(hits)).toContain('zebra');
    const all = await env.json('mempalace-session', ['--from', harness, '--min-messages', '1']);
    expect(all).toMatchObject({ new: 2, unchanged: 1, skipped: 0 });
    const { sources } = await env.json('mempalace', ['list', 'sources']);
    expect((sources as { source_key: string }[]).map(({ source_key }) => source_key).sort()).toEqual(
      ['long-1', 'old-1', 'short-1'].map((id) => `${harness}:${id}`),
    );
  });

  it('kimi: a session and its sub-agent, by their paths; mine --mode convos reads the same', async ({
    env,
  }) => {
    const said = ['Which port?', '8443, of the zebra gateway.', 'Thanks.'];
    env.project('.kimi', kimiFiles('/code/shop', 'talk-1', said, ['Count the ships.', 'Three.', 'Sure?']));
    env.project('.kimi', kimiFiles('/code/shop', 'short-1', ['Hi.']));
    const filed = schemas.mine.parse(await env.json('mempalace-session', ['--from', 'kimi']));
    expect(filed).toMatchObject({ new: 2, skipped: 1 });
    const { sources } = await env.json('mempalace', ['list', 'sources']);
    expect(sources).toHaveLength(2);
    expect(sources).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ source_key: 'kimi:talk-1', title: 'About talk-1', room: 'shop' }),
        expect.objectContaining({ source_key: 'kimi:talk-1/a1', room: 'shop' }),
      ]),
    );
    const mined = await env.json('mempalace', ['mine', join(env.home, '.kimi/sessions'), '--mode', 'convos']);
    expect(mined).toMatchObject({ new: 1, changed: 0, unchanged: 2 });
    const elsewhere = { KIMI_SHARE_DIR: join(env.home, 'nowhere') };
    expect(await env.run('mempalace-session', ['--from', 'kimi'], elsewhere)).toMatchObject({ exitCode: 1 });
  });

  it('refuses an unknown harness, options of opencode, and a missing folder', async ({ env }) => {
    const run = (...args: string[]) => env.run('mempalace-session', args);
    expect(await run('--from', 'emacs')).toMatchObject({ exitCode: 2, stdout: '' });
    expect((await run('--from', 'pi', '--session', 'x', '--repair')).stderr).toContain('--session, --repair');
    expect(await run('--from', 'codex')).toMatchObject({ exitCode: 1 });
  });
});
