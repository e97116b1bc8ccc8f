import fc from 'fast-check';
import { parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml, stringify } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { CLIENTS, type Client } from '../../src/clients/index.js';
import { AGENT_IDS } from '../../src/setup/pieces.js';

const ENTRY = { command: '/usr/bin/mempalace-mcp', args: ['--agent', 'me'] };
const OTHER = { command: '/elsewhere/mempalace-mcp', args: [] };

function client(id: string): Client {
  const found = CLIENTS.find((each) => each.id === id);
  if (found === undefined) throw new Error(`no client ${id}`);
  return found;
}

const OPENCODE = `{
  // my own
  "$schema": "https://opencode.ai/config.json",
  "model": "local/x", /* fast */
  "mcp": {
    "other": { "type": "remote", "url": "https://x" }, // keep
  },
}
`;
const TOP = `# mine
model = "gpt" # fast

`;
const CODEX = `${TOP}[mcp_servers.other] # keep
command = 'x'
args = ["a", # one
 "b"]

# about projects
[projects."/home/me/x"]
trust_level = """
[mcp_servers.mempalace]
not a table
"""
`;

describe('every client', () => {
  it('can be named', () => {
    expect(CLIENTS.map(({ id }) => id)).toEqual([...AGENT_IDS]);
  });

  it.each(CLIENTS.map(({ id }) => id))('%s: added once, changed in place, and removed', (id) => {
    const { set, remove } = client(id);
    const text = id === 'codex' ? CODEX : id === 'opencode' ? OPENCODE : '{\n\t"theme": "dark"\n}\n';
    const once = set(text, ENTRY);
    expect(once).not.toBe(text);
    expect(set(once, ENTRY)).toBe(once);
    expect(once).toContain('/usr/bin/mempalace-mcp');
    const changed = set(once, OTHER);
    expect(changed).toContain('/elsewhere/mempalace-mcp');
    expect(changed).not.toContain('/usr/bin/mempalace-mcp');
    expect(set(changed, ENTRY)).toBe(once);
    expect(remove(text)).toBe(text);
    const away = remove(once);
    expect(away).not.toContain('mempalace-mcp');
    if (id === 'opencode') expect(away).toBe(OPENCODE);
    else for (const line of text.split('\n')) expect(away).toContain(line);
  });

  it.each(CLIENTS.map(({ id }) => id))('%s: a missing or empty file', (id) => {
    const { set, remove } = client(id);
    const fresh = set(undefined, ENTRY);
    expect(set('', ENTRY)).toBe(fresh);
    expect(fresh.endsWith('\n')).toBe(true);
    expect(remove(fresh)).not.toContain('mempalace-mcp');
    expect(remove('')).toBe('');
  });

  it.each(CLIENTS.map(({ id }) => id))('%s: an unreadable file is unchanged', (id) => {
    const { set, remove } = client(id);
    for (const text of ['{', '[1', '= x'])
      for (const work of [() => set(text, ENTRY), () => remove(text)])
        expect(work).toThrow(expect.objectContaining({ code: 'config' }));
  });
});

describe('a server of another machine', () => {
  const REMOTE = { url: 'https://memory.example.org/mcp', token: 'secret', tokenFile: '/home/me/token' };
  const headers = { Authorization: 'Bearer secret' };
  const entries: Record<string, unknown> = {
    opencode: {
      type: 'remote',
      url: REMOTE.url,
      enabled: true,
      oauth: false,
      headers: { Authorization: 'Bearer {file:/home/me/token}' },
    },
    'claude-code': { type: 'http', url: REMOTE.url, headers },
    codex: { url: REMOTE.url, http_headers: headers },
    cursor: { url: REMOTE.url, headers },
    pi: { url: REMOTE.url, headers, exposure: 'direct' },
    kimi: { url: REMOTE.url, headers },
  };

  it.each(CLIENTS.map(({ id }) => id))('%s: the whole entry is replaced, in both directions', (id) => {
    const { set, remove, entryIn } = client(id);
    const before = id === 'codex' ? CODEX : '{\n  "theme": "dark"\n}\n';
    const program = set(before, ENTRY);
    expect(entryIn(before)).toBeUndefined();
    const remote = set(program, REMOTE);
    expect(entryIn(remote)).toEqual(entries[id]);
    expect(remote).not.toContain('mempalace-mcp');
    expect(set(remote, REMOTE)).toBe(remote);
    const other = set(remote, { ...REMOTE, token: 'other', tokenFile: '/other' });
    expect(other).not.toContain('secret');
    expect(other).not.toContain('/home/me/token');
    expect(set(other, ENTRY)).toBe(program);
    expect(remove(remote)).toBe(remove(program));
  });

  it('takes nothing over from an entry that starts a program', () => {
    const { set, entryIn } = client('cursor');
    const text =
      '{ "mcpServers": { "mempalace": { "command": "x", "env": { "MEMPALACE_PALACE_PATH": "/data" } } } }';
    expect(entryIn(set(text, REMOTE))).toEqual(entries.cursor);
  });
});

describe('comments and other entries', () => {
  it('stay in JSON', () => {
    const text = client('opencode').set(OPENCODE, ENTRY);
    for (const kept of ['// my own', '/* fast */', '// keep', '"other"']) expect(text).toContain(kept);
    expect(parseJsonc(text, [], { allowTrailingComma: true })).toEqual({
      $schema: 'https://opencode.ai/config.json',
      model: 'local/x',
      mcp: {
        other: { type: 'remote', url: 'https://x' },
        mempalace: { type: 'local', command: [ENTRY.command, ...ENTRY.args], enabled: true },
      },
    });
  });

  it('stay in JSON of any form', () => {
    const { set, remove } = client('claude-code');
    const texts = [
      '{}',
      '{"a":1}',
      '{"a":1,}',
      '{ /* why */ }',
      '{\r\n\t"a": [1,\r\n2]\r\n}\r\n',
      '{\n    "mcpServers": {}\n}\n',
      '{\n  "mcpServers": { "x": {} }, // one\n  "b": {"c": "}"} // two\n}',
      '{\n  "mcpServers": {\n    "x": {} // last\n  }\n}\n',
    ];
    for (const text of texts) {
      const before = parseJsonc(text, [], { allowTrailingComma: true });
      const after = set(text, ENTRY);
      const servers = { ...before.mcpServers, mempalace: { type: 'stdio', ...ENTRY } };
      expect(parseJsonc(after, [], { allowTrailingComma: true }), text).toEqual({
        ...before,
        mcpServers: servers,
      });
      for (const [comment] of text.matchAll(/\/\/ \w+|\/\* .* \*\//g)) expect(after).toContain(comment);
      const away = parseJsonc(remove(after), [], { allowTrailingComma: true });
      expect({ ...away, mcpServers: away.mcpServers ?? {} }).toEqual({
        ...before,
        mcpServers: before.mcpServers ?? {},
      });
    }
    expect(set(texts[6] ?? '', ENTRY)).toContain('"b": {"c": "}"} // two');
  });

  it('stay in TOML, where only our table changes', () => {
    const { set, remove } = client('codex');
    const text = set(CODEX, ENTRY);
    expect(text.startsWith(CODEX)).toBe(true);
    expect(parseToml(text)).toEqual({
      ...parseToml(CODEX),
      mcp_servers: { other: { command: 'x', args: ['a', 'b'] }, mempalace: ENTRY },
    });
    const own = '[mcp_servers.mempalace]\ncommand = "old"\n[mcp_servers.mempalace.env]\nA = "b"\n\n';
    const changed = set(TOP + own + CODEX.slice(TOP.length), ENTRY);
    expect(parseToml(changed)).toEqual({
      ...parseToml(CODEX),
      mcp_servers: {
        other: { command: 'x', args: ['a', 'b'] },
        mempalace: { ...ENTRY, env: { A: 'b' } },
      },
    });
    expect(changed.endsWith(CODEX.slice(TOP.length))).toBe(true);
    expect(remove(changed)).toBe(CODEX);
  });

  it('stay inside our own entry, too: variables, limits, other additions', () => {
    const { set } = client('cursor');
    const text = `{ "mcpServers": { "mempalace": {
      "command": "old", // was elsewhere
      "env": { "MEMPALACE_PALACE_PATH": "/data" } /* big disk */
    } } }`;
    const after = set(text, ENTRY);
    for (const comment of ['// was elsewhere', '/* big disk */']) expect(after).toContain(comment);
    const wanted = { ...ENTRY, env: { MEMPALACE_PALACE_PATH: '/data' } };
    expect(parseJsonc(after).mcpServers.mempalace).toEqual(wanted);
    expect(set(after, ENTRY)).toBe(after);
    const remote = '{ "mcpServers": { "mempalace": { "url": "https://x", "headers": {} } } }';
    expect(parseJsonc(set(remote, ENTRY)).mcpServers.mempalace).toEqual({ ...ENTRY });
  });

  it('keep the comments of the next table in TOML', () => {
    const { set, remove } = client('codex');
    const rest = '# of the other\n[mcp_servers.other]\ncommand = "x"\n';
    for (const between of ['', '\n', '\n# what\n\n']) {
      const text = `${TOP}[mcp_servers.mempalace]\ncommand = "old"\n${between}${rest}`;
      expect(set(text, ENTRY).endsWith(`${between}${rest}`)).toBe(true);
      expect(remove(text)).toBe(`${TOP}${between.replace(/^\n/, '')}${rest}`);
      expect(remove(set(text, ENTRY))).toBe(remove(text));
    }
  });

  it.each([
    `[" "]\n"''' " = 0\n`,
    `a = "\\"'''"\n`,
    `a = ''\n[b]\nc = "'''" # """\n`,
    `a = """\n\\"""\n[mcp_servers.mempalace]\n"""\n[b]\nc = ''' " '''\n`,
  ])('stay with quotes inside quotes: %j', (text) => {
    const { set, remove } = client('codex');
    const added = set(text, ENTRY);
    expect(parseToml(added)).toEqual({ ...parseToml(text), mcp_servers: { mempalace: ENTRY } });
    expect(parseToml(set(added, OTHER))).toEqual({ ...parseToml(text), mcp_servers: { mempalace: OTHER } });
    expect(parseToml(remove(added))).toEqual(parseToml(text));
  });

  it('stay because a table of another form is not changed', () => {
    const { set, remove } = client('codex');
    for (const text of [
      'mcp_servers = { mempalace = { command = "x" } }\n',
      '[mcp_servers]\nmempalace.command = "x"\n',
    ])
      for (const work of [() => set(text, ENTRY), () => remove(text)])
        expect(work).toThrow(expect.objectContaining({ code: 'config' }));
  });

  it('have the same meaning, for any file', () => {
    const value = fc.oneof(fc.string(), fc.boolean(), fc.integer(), fc.array(fc.string()));
    const tables = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(value, fc.dictionary(fc.string({ minLength: 1 }), value)),
    );
    fc.assert(
      fc.property(tables, (given) => {
        const { mcp_servers: _, ...rest } = given;
        const text = stringify(rest);
        const { set, remove } = client('codex');
        const after = set(text, ENTRY);
        expect(parseToml(after)).toEqual({ ...parseToml(text), mcp_servers: { mempalace: ENTRY } });
        expect(parseToml(remove(after))).toEqual(parseToml(text));
      }),
      { numRuns: 100 },
    );
  });
});
