import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENT_IDS } from '../../src/cli/commands/mcp/command.js';
import { TestEnv } from '../support/test-env.js';

const FILES: Record<(typeof CLIENT_IDS)[number], string> = {
  opencode: '.config/opencode/opencode.json',
  'claude-code': '.claude.json',
  codex: '.codex/config.toml',
  cursor: '.cursor/mcp.json',
  pi: '.pi/agent/mcp.json',
  kimi: '.kimi/mcp.json',
};

describe('mempalace mcp', () => {
  it.each(CLIENT_IDS)('install %s adds the server once, and remove removes it', async (id) => {
    const env = new TestEnv();
    const file = join(env.home, FILES[id]);
    const install = ['mcp', 'install', id, '--tools', 'all', '--agent', 'me'];
    const before = env.fingerprint();
    const dry = await env.run('mempalace', [...install, '--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0, stderr: '' });
    expect(dry.stdout).toContain(`would be installed`);
    expect(dry.stdout).toMatch(/^\+ .*mempalace-mcp/m);
    expect(env.fingerprint()).toBe(before);

    const done = await env.run('mempalace', install);
    expect(done.stdout).toContain(file);
    expect(done.exitCode).toBe(0);
    const text = readFileSync(file, 'utf8');
    const named = /"([^"]*bin\/mempalace-mcp)"/.exec(text)?.[1] ?? '';
    expect(existsSync(named)).toBe(true);
    expect(text).toMatch(/"--tools",\s*"all",\s*"--agent",\s*"me"/);
    expect(statSync(file).mode & 0o777).toBe(0o600);

    expect((await env.run('mempalace', install)).stdout).toContain('unchanged');
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect((await env.run('mempalace', ['mcp', 'remove', id])).stdout).toContain('removed');
    expect(readFileSync(file, 'utf8')).not.toContain('mempalace-mcp');
    expect((await env.run('mempalace', ['mcp', 'remove', id])).stdout).toContain('unchanged');
  });

  it('keeps comments and other entries, and adds the given palace', async () => {
    const env = new TestEnv();
    const file = join(env.home, '.config/opencode/opencode.jsonc');
    mkdirSync(dirname(file), { recursive: true });
    const text = '{\n  // mine\n  "theme": "dark",\n}\n';
    writeFileSync(file, text);
    const palace = join(env.home, 'elsewhere');
    await env.json('mempalace', ['mcp', 'install', 'opencode', '--palace', palace]);
    const after = readFileSync(file, 'utf8');
    expect(after).toContain('  // mine\n  "theme": "dark"');
    expect(after).toMatch(new RegExp(`"--palace",\\s*"${palace}"`));
    await env.json('mempalace', ['mcp', 'remove', 'opencode']);
    expect(readFileSync(file, 'utf8')).toContain('// mine');
    expect(existsSync(join(env.home, '.config/opencode/opencode.json'))).toBe(false);
  });

  it('does not change a file that it cannot read, and names the error', async () => {
    const env = new TestEnv();
    const file = join(env.home, '.claude.json');
    writeFileSync(file, '{ "mcpServers": ');
    const outcome = await env.run('mempalace', ['mcp', 'install', 'claude-code']);
    expect(outcome.exitCode).toBe(2);
    expect(outcome.stderr).toContain(`${file}: it is not JSON`);
    expect(readFileSync(file, 'utf8')).toBe('{ "mcpServers": ');
    if (process.getuid?.() !== 0) {
      chmodSync(file, 0o000);
      expect((await env.run('mempalace', ['mcp', 'install', 'claude-code'])).exitCode).toBe(1);
    }
  });

  it('declares the tools to the model in pi, and refuses a file that pi or Kimi would not read', async () => {
    const env = new TestEnv();
    const folders = { PI_CODING_AGENT_DIR: join(env.home, 'pi'), KIMI_SHARE_DIR: join(env.home, 'kimi') };
    expect((await env.run('mempalace', ['mcp', 'install', 'pi'], folders)).exitCode).toBe(0);
    const written: unknown = JSON.parse(readFileSync(join(env.home, 'pi/mcp.json'), 'utf8'));
    expect(written).toMatchObject({ mcpServers: { mempalace: { args: [], exposure: 'direct' } } });

    const file = join(env.home, 'kimi/mcp.json');
    for (const text of ['{\n  // mine\n  "mcpServers": {}\n}\n', '{"mcpServers": {},}']) {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
      const outcome = await env.run('mempalace', ['mcp', 'install', 'kimi'], folders);
      expect(outcome.exitCode).toBe(2);
      expect(outcome.stderr).toContain(`${file}: it has comments or trailing commas, so Kimi CLI ignores`);
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
  });

  it('remove without a client removes entries of this installation, and no others', async () => {
    const env = new TestEnv();
    const kept = join(env.home, FILES.cursor);
    mkdirSync(dirname(kept), { recursive: true });
    const other = '{"mcpServers":{"mempalace":{"command":"/opt/other/mempalace-mcp"}}}';
    writeFileSync(kept, other);
    for (const id of ['opencode', 'codex']) await env.json('mempalace', ['mcp', 'install', id]);
    const outcome = await env.run('mempalace', ['mcp', 'remove']);
    expect(outcome).toMatchObject({ exitCode: 0, stderr: '' });
    expect(outcome.stdout).toBe(
      `removed  opencode: ${join(env.home, FILES.opencode)}\nremoved  Codex: ${join(env.home, FILES.codex)}`,
    );
    expect(readFileSync(kept, 'utf8')).toBe(other);
    expect((await env.run('mempalace', ['mcp', 'remove'])).stdout).toBe('');
  });

  it('prints the entry for each configuration, and reports missing arguments', async () => {
    const env = new TestEnv();
    const all = await env.run('mempalace', ['mcp', 'print']);
    for (const path of Object.values(FILES)) expect(all.stderr).toContain(path);
    expect(all.stdout).toContain('[mcp_servers.mempalace]');
    const one = await env.run('mempalace', ['mcp', 'print', 'codex', '--read-only']);
    expect(one.stdout).not.toContain('mcpServers');
    expect(one.stdout).toContain('--read-only');
    for (const args of [
      ['install'],
      ['install', 'emacs'],
      ['print', '--dry-run'],
      ['install', 'codex', '--tools', 'x'],
    ])
      expect((await env.run('mempalace', ['mcp', ...args])).exitCode, args.join(' ')).toBe(2);
  });
});
