import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLIENTS } from '../../src/clients/index.js';
import { AGENT_IDS } from '../../src/setup/pieces.js';
import { withBroker } from '../support/broker.js';
import { filledMachine } from '../support/real-palace.js';
import { connectedTo, served } from '../support/served.js';
import { TestEnv } from '../support/test-env.js';

const FILES: Record<(typeof AGENT_IDS)[number], string> = {
  opencode: '.config/opencode/opencode.json',
  'claude-code': '.claude.json',
  codex: '.codex/config.toml',
  cursor: '.cursor/mcp.json',
  pi: '.pi/agent/mcp.json',
  kimi: '.kimi/mcp.json',
};

describe('mempalace mcp', () => {
  it.each(AGENT_IDS)('install %s adds the server once, and remove removes it', async (id) => {
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

/** The address and the token that a client finds in its configuration. */
function foundBy(id: string, text: string): { url: string; token: string } {
  const entry = CLIENTS.find((client) => client.id === id)?.entryIn(text);
  const { url, headers, http_headers } = Object(entry);
  const [, value = ''] = /^Bearer (.+)$/.exec((http_headers ?? headers).Authorization) ?? [];
  // opencode reads the file, without the space around its content.
  const [, file] = /^\{file:(.+)\}$/.exec(value) ?? [];
  return { url, token: file === undefined ? value : readFileSync(file, 'utf8').trim() };
}

describe('mempalace mcp install --url', () => {
  const machine = filledMachine();

  it('writes entries with which every client is answered by mempalace serve; a token is never printed', async () => {
    const env = withBroker((await machine()).env);
    const { url } = await served(env);
    const tokenFile = join(env.home, 'my-token');
    const { token } = await env.json('mempalace', ['serve', 'token', 'add', 'ada']);
    writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
    for (const id of AGENT_IDS) {
      const file = join(env.home, FILES[id]);
      const install = ['mcp', 'install', id, '--url', url, '--token-file', tokenFile];
      await env.json('mempalace', ['mcp', 'install', id]);
      const dry = await env.run('mempalace', [...install, '--dry-run']);
      expect(readFileSync(file, 'utf8')).not.toContain(url);
      const done = await env.run('mempalace', install);
      const asJson = await env.run('mempalace', [...install, '--json']);
      expect(JSON.parse(asJson.stdout)).toMatchObject({ done: 'unchanged', command: null, url });
      const shown = await env.run('mempalace', ['mcp', 'print', id, ...install.slice(3)]);
      expect(shown.stdout).toContain(url);
      const removal = await env.run('mempalace', ['mcp', 'remove', id, '--dry-run']);
      for (const { stdout, stderr } of [dry, done, asJson, shown, removal])
        expect(stdout + stderr).not.toContain(String(token));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const found = foundBy(id, readFileSync(file, 'utf8'));
      expect(found).toEqual({ url, token });
      const { client, call } = await connectedTo(found.url, found.token);
      expect((await call('search', { query: 'lamps' })).results).not.toEqual([]);
      await client.close();
    }
    const { findings } = await env.json('mempalace', ['doctor']);
    const clients = (findings as { label: string; status: string; detail: string }[]).filter(
      ({ label }) => label === 'clients',
    );
    expect(clients.map(({ status }) => status)).toEqual(AGENT_IDS.map(() => 'ok'));
    expect(clients.map(({ detail }) => detail)).toContain(`Cursor asks ${url}`);
  });

  it('remove without a client removes them, and keeps an entry that was made by hand', async () => {
    const env = new TestEnv();
    const file = join(env.home, 'token');
    writeFileSync(file, `${'a-token-'.repeat(5)}\n`, { mode: 0o600 });
    const address = ['--url', 'https://memory.example.org', '--token-file', file];
    for (const id of AGENT_IDS) await env.json('mempalace', ['mcp', 'install', id, ...address]);
    const own = join(env.home, FILES.cursor);
    const text = readFileSync(own, 'utf8').replace('"url"', '"timeout": 9, "url"');
    writeFileSync(own, text);
    const { stdout } = await env.run('mempalace', ['mcp', 'remove']);
    expect(stdout.split('\n').map((row) => row.split('  ')[0])).toEqual(Array(5).fill('removed'));
    expect(readFileSync(own, 'utf8')).toBe(text);
    expect(stdout).not.toContain('Cursor');
    expect(await env.run('mempalace', ['mcp', 'remove'])).toMatchObject({ exitCode: 0, stdout: '' });
    await env.run('mempalace', ['mcp', 'remove', 'cursor']);
    expect(readFileSync(own, 'utf8')).not.toContain('a-token');
  });

  it('prints the entries of docs/remote.md', async () => {
    const page = readFileSync(new URL('../../docs/remote.md', import.meta.url), 'utf8');
    const { clients } = await new TestEnv().json('mempalace', [
      ...['mcp', 'print', '--url', 'https://memory.example.org/mcp'],
      ...['--token-file', '/home/ada/.config/mempalace/token'],
    ]);
    const texts = (clients as { text: string }[]).map(({ text }) => text);
    expect(texts).toHaveLength(AGENT_IDS.length);
    for (const text of texts) expect(page).toContain(`\n${text}\`\`\`\n`);
  });

  it('needs a private file with a token, and warns of a connection without encryption', async () => {
    const env = new TestEnv();
    const tokenFile = join(env.home, 'my-token');
    const install = (url: string) =>
      env.run('mempalace', ['mcp', 'install', 'cursor', '--url', url, '--token-file', tokenFile]);
    const absent = await install('https://memory.example.org/mcp');
    expect(absent.stderr).toContain(`there is no file ${tokenFile}`);
    writeFileSync(tokenFile, `${'x'.repeat(43)}\n`, { mode: 0o644 });
    expect((await install('https://memory.example.org/mcp')).stderr).toContain('other users may read');
    expect(existsSync(join(env.home, FILES.cursor))).toBe(false);
    chmodSync(tokenFile, 0o600);
    expect((await install('http://10.0.0.1:7425/mcp')).stderr).toContain('without encryption');
    for (const safe of ['https://memory.example.org/mcp', 'http://127.0.0.1:7425/mcp'])
      expect((await install(safe)).stderr).not.toContain('without encryption');
    expect(
      (await env.run('mempalace', ['mcp', 'install', 'cursor', '--url', 'https://x/mcp'])).exitCode,
    ).toBe(2);
  });

  it('doctor finds what is wrong with an entry', async () => {
    const env = new TestEnv();
    const clients = async () =>
      (
        JSON.parse((await env.run('mempalace', ['doctor', '--json'])).stdout).findings as {
          label: string;
          detail: string;
        }[]
      )
        .filter(({ label }) => label === 'clients')
        .map(({ detail }) => detail);
    expect(await clients()).toEqual([]);
    const file = join(env.home, FILES['claude-code']);
    writeFileSync(
      file,
      '{"mcpServers":{"mempalace":{"type":"http","url":"https://x/mcp","headers":{"Authorization":"Bearer abc"}}}}',
      { mode: 0o644 },
    );
    const opencode = join(env.home, FILES.opencode);
    mkdirSync(dirname(opencode), { recursive: true });
    writeFileSync(
      opencode,
      '{"mcp":{"mempalace":{"type":"remote","url":"https://x/mcp","headers":{"Authorization":"Bearer {file:/no/token}"}}}}',
    );
    const cursor = join(env.home, FILES.cursor);
    mkdirSync(dirname(cursor), { recursive: true });
    writeFileSync(cursor, '{"mcpServers":{"mempalace":{"command":"/no/bin/mempalace-mcp"}}}');
    expect(await clients()).toEqual([
      `${file} contains a token, and other users may read it`,
      'opencode asks https://x/mcp with the token in /no/token, which does not exist',
      'Cursor starts /no/bin/mempalace-mcp, which does not exist',
    ]);
  });
});
