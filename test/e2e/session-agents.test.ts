import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { filesIn } from '../support/files-in.js';
import { it } from '../support/it-env.js';
import { schemas } from '../support/json-schemas.js';
import { logOf } from '../support/logs.js';
import { addShop } from '../support/shop.js';
import type { TestEnv } from '../support/test-env.js';
import { NONE, verified } from '../support/verified.js';

const DATABASE = '.local/share/opencode/opencode.db';

/** A session of an agent that is filed, and one that is too short. */
function addSessions({ home }: TestEnv, harness: string, answer: string): void {
  const files = [['long', 'Which port?', answer, 'Thanks.'] as const, ['short', 'Hi.'] as const];
  for (const [id, ...said] of files) {
    const { head, message, file } = logOf(harness, `${id}-1`);
    filesIn({ [file('shop')]: [...head, ...said.map((text, index) => message(index, text))] }, home);
  }
}

describe('mempalace-session without --from', () => {
  it('with Claude Code alone: files it, and says nothing of other agents', async ({ env }) => {
    addSessions(env, 'claude-code', '8443, of the zebra gateway.');
    env.project('.codex/sessions', {});
    const before = env.fingerprint();
    const dry = schemas.mineDryRun.parse(await env.json('mempalace-session', ['--dry-run']));
    expect(dry).toMatchObject({ new: 1, skipped_by_reason: { 'fewer than 3 messages': 1 } });
    expect(env.fingerprint()).toBe(before);
    expect(await env.run('mempalace-session', [])).toMatchObject({
      exitCode: 0,
      stderr: '',
      stdout: expect.stringMatching(
        /^skipped: 1 fewer than 3 messages\n1 session had fewer .* --min-messages 1 includes them\n1 new,/,
      ),
    });
    expect(await env.json('mempalace-session', [])).toMatchObject({ new: 0, unchanged: 1 });
    expect(await verified(env, ['--session', 'long-1'])).toMatchObject({ sessions: { ...NONE, ok: 1 } });
    expect(await env.run('mempalace', ['verify', '--session', 'short-1'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no session short-1 is filed, and no opencode database found in '),
    });
    const refused = await env.run('mempalace-session', ['--no-subagents']);
    expect(refused).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('no opencode database found'),
    });
  });

  it('with several: one run, one sum, and a damaged history of one stops no other', async ({ env }) => {
    addShop(env);
    addSessions(env, 'claude-code', '8443, of the zebra gateway.');
    addSessions(env, 'pi', '9443, of the okapi gateway.');
    const dry = schemas.sessionsDryRun.parse(await env.json('mempalace-session', ['--dry-run']));
    expect(dry).toMatchObject({ new: 3, skipped: 3, agents: { length: 3 }, sessions: { length: 1 } });
    expect(dry.sources).toHaveLength(2);
    const first = await env.run('mempalace-session', ['--since']);
    expect(first.exitCode).toBe(0);
    expect(first.stderr).toBe('--since: no earlier complete run with these options, filing everything');
    const lines = first.stdout.split('\n');
    expect(lines.filter((text) => /^(?:opencode|Claude Code|pi)$/.test(text))).toHaveLength(3);
    expect(lines.filter((text) => text.includes('--min-messages'))).toEqual([
      '3 sessions had fewer messages than --min-messages; --min-messages 1 includes them',
    ]);
    expect(lines.at(-1)).toMatch(/^3 agents: 3 new, 0 changed, .* 3 skipped; \d+ drawers filed, \d+ in the /);

    writeFileSync(join(env.home, DATABASE), 'SQLite format 3\0garbage'.repeat(40));
    for (const suffix of ['-wal', '-shm']) rmSync(join(env.home, DATABASE + suffix), { force: true });
    addSessions(env, 'codex', '7443, of the tapir gateway.');
    const { exitCode, stdout, stderr } = await env.run('mempalace-session', ['--json']);
    expect(exitCode).toBe(3);
    expect(stderr).toContain('opencode: ');
    const all = schemas.sessions.parse(JSON.parse(stdout));
    expect(all).toMatchObject({ exit_code: 3, new: 1, unchanged: 2, problems: [{ origin: 'opencode' }] });
    expect(all.agents.map(({ agent, exit_code, error }) => [agent, exit_code, error?.code])).toEqual([
      ['opencode', 1, expect.any(String)],
      ['claude-code', 0, undefined],
      ['codex', 0, undefined],
      ['pi', 0, undefined],
    ]);
    const some = await env.json('mempalace-session', ['--from', 'codex,pi', '--from', 'claude-code']);
    expect(some).toMatchObject({ unchanged: 3, agents: { length: 3 } });
    expect(await env.json('mempalace-session', ['--from', 'pi'])).not.toHaveProperty('agents');
    expect(await env.run('mempalace-session', ['--from', 'opencode'])).toMatchObject({ exitCode: 1 });
  });

  it('without any agent: one sentence names what it looked for', async ({ env }) => {
    const { exitCode, stderr } = await env.run('mempalace-session', ['--json']);
    expect(exitCode).toBe(1);
    const { message } = JSON.parse(stderr).error;
    for (const place of ['opencode.db', 'Claude Code in ', '/.codex/sessions', '/.pi/agent/sessions'])
      expect(message).toContain(place);
  });
});
