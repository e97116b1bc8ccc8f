import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lines, talk } from '../support/claude-code.js';
import { TestEnv } from '../support/test-env.js';
import { shim } from '../support/tools.js';

const FILES = ['--only', 'mcp,hooks,skill'];

/** A machine on which Claude Code and opencode have been used. */
function machine() {
  const env = new TestEnv();
  mkdirSync(join(env.home, '.claude'));
  writeFileSync(join(env.home, '.claude', 'settings.json'), '{\n  "model": "opus" // fast\n}\n', {
    mode: 0o644,
  });
  mkdirSync(join(env.home, '.config', 'opencode'), { recursive: true });
  const run = (...args: string[]) => env.run('mempalace', ['setup', ...args], { PATH: '' });
  return { env, run, settings: () => readFileSync(join(env.home, '.claude', 'settings.json'), 'utf8') };
}

describe('mempalace setup', () => {
  it('shows the changes, makes them, and takes them back', async () => {
    const { env, run, settings } = machine();
    const before = env.fingerprint();
    const dry = await run(...FILES, '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dry.stdout).toContain('would be created    Claude Code: ~/.claude.json (mcp)');
    expect(dry.stdout).toMatch(/^ {2}\+ .*mempalace-mcp/m);
    expect(dry.stdout).not.toContain('opus');
    expect(env.fingerprint()).toBe(before);
    expect((await run(...FILES)).stderr).toContain('--yes agrees without a question');
    expect(env.fingerprint()).toBe(before);

    const done = await run(...FILES, '--yes');
    expect(done.exitCode).toBe(0);
    expect(done.stdout).toContain('Start Claude Code, opencode again');
    expect(settings()).toContain('bin/mempalace hook run --hook session-start --harness claude-code');
    for (const link of [
      '.claude/skills/mempalace/SKILL.md',
      '.config/opencode/plugins/mempalace.js',
      '.agents/skills/mempalace/SKILL.md',
    ])
      expect(existsSync(join(env.home, link)), link).toBe(true);
    expect((await run(...FILES)).stdout).toContain('nothing to change');

    await run('--undo', '--yes', ...FILES);
    expect(settings()).toBe('{\n  "model": "opus" // fast\n}\n');
    for (const made of [
      '.claude.json',
      '.claude/skills',
      '.agents',
      '.config/opencode/opencode.json',
      '.local',
    ])
      expect(existsSync(join(env.home, made)), made).toBe(false);
  });

  it('files the history and the project of this folder, once, schedules it, and takes back all but the palace', async () => {
    const { env, settings } = machine();
    const before = settings();
    const said = ['How is money rounded?', 'Once, on the total.', 'And per line?', 'Never.'];
    env.project('.claude/projects/-code-shop', { 'one.jsonl': lines(talk({ id: 'one' }, said)) });
    const shop = env.project('shop', {
      'docs/a.md': '# Rounding\n\nOnce, on the total.\n',
      'mempalace.yaml': 'wing: wing_shop\n',
    });
    const shims = join(env.home, 'shims');
    for (const name of ['systemctl', 'launchctl', 'loginctl']) shim(shims, name, 'exit 127');
    const table = join(env.home, 'crontab');
    shim(
      shims,
      'crontab',
      `case "$1" in -l) [ -e "${table}" ] && exec cat "${table}"; echo "no crontab for ada" >&2; exit 1 ;;
       -r) rm -f "${table}" ;; *) cat >"${table}" ;; esac`,
    );
    const spawn = (...args: string[]) =>
      env.spawn('mempalace', args, { PATH: `${shims}:${env.env.PATH}` }, shop);
    // The user's own; setup adds the other one.
    expect((await spawn('schedule', 'install', '--only', 'session')).exitCode).toBe(0);
    const setUp = (...args: string[]) => spawn('setup', 'claude-code', ...args);
    const done = await setUp('--yes');
    expect(done.exitCode, done.stderr).toBe(0);
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(2);
    expect(readFileSync(join(env.home, '.config/mempalace/projects'), 'utf8')).toContain(`\n${shop}\n`);
    expect(readFileSync(table, 'utf8')).toMatch(/mempalace-session(?:.|\n)*mempalace-docs/);
    expect((await setUp('--yes')).stdout).toContain('nothing to change');

    const dry = await env.spawn('mempalace', ['setup', '--undo', '--dry-run'], {}, shop);
    expect(dry.stdout).not.toContain('unchanged');
    const undone = await spawn('setup', '--undo', '--yes');
    expect(undone.exitCode, undone.stderr).toBe(0);
    expect(settings()).toBe(before);
    expect(existsSync(join(env.home, '.config/mempalace'))).toBe(false);
    expect(readFileSync(table, 'utf8')).toContain('mempalace-session');
    expect(readFileSync(table, 'utf8')).not.toContain('mempalace-docs');
    expect((await env.json('mempalace', ['list', 'sources'])).total).toBe(2);
  });

  it('names a damaged file with its line, and sets up the others', async () => {
    const { env, run } = machine();
    writeFileSync(join(env.home, '.claude.json'), '{\n  "a": \n}\n');
    const outcome = await run(...FILES, '--yes');
    expect(outcome.exitCode).toBe(3);
    expect(outcome.stderr).toMatch(
      /~\/\.claude\.json: it is not JSON: .* in line 3; nothing of it was changed/,
    );
    expect(existsSync(join(env.home, '.config/opencode/opencode.json'))).toBe(true);
    const doctor = await env.run('mempalace', ['doctor']);
    expect(doctor.stdout).toMatch(
      /Claude Code: set up: hooks, skill; not set up: mcp; .*\.claude\.json: it is not JSON/,
    );
  });

  it('lists no project whose filing failed, and says what a machine without a scheduler lacks', async () => {
    const { env } = machine();
    const shop = env.project('shop', { 'a.md': '# Rounding\n\nOnce.\n', 'mempalace.yaml': 'wing: [\n' });
    const setUp = () =>
      env.spawn('mempalace', ['setup', '--only', 'project,schedule', '--yes'], { PATH: '' }, shop);
    const failed = await setUp();
    expect(failed.exitCode).toBe(3);
    expect(failed.stderr).toContain('mempalace.yaml');
    expect(failed.stderr).not.toContain('nothing of it');
    expect(failed.stderr).toContain('no weekly runs: no scheduler can be used on this machine');
    expect(existsSync(join(env.home, '.config/mempalace/projects'))).toBe(false);
    writeFileSync(join(shop, 'mempalace.yaml'), 'wing: wing_shop\n');
    const done = await setUp();
    expect(done.exitCode, done.stderr).toBe(0);
    expect(done.stdout).toContain('filed');
    expect(readFileSync(join(env.home, '.config/mempalace/projects'), 'utf8')).toContain(`\n${shop}\n`);
  });

  it('takes agents and steps by name, and says what was meant', async () => {
    const { env, run } = machine();
    expect(await run('claude')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('did you mean claude-code?'),
    });
    expect(await run('--only', 'hook')).toMatchObject({ exitCode: 2 });
    expect((await run('kimi', '--only', 'hooks', '--yes')).exitCode).toBe(0);
    expect(readFileSync(join(env.home, '.kimi/config.toml'), 'utf8').match(/^event = /gm)).toHaveLength(4);
    expect(existsSync(join(env.home, '.kimi/mcp.json'))).toBe(false);
  });
});
