import { describe, expect, it } from 'vitest';
import { entryConfig } from '../../../../src/cli/commands/mcp/config.js';
import { difference, withoutTokens } from '../../../../src/setup/difference.js';

const usage = expect.objectContaining({ code: 'usage' });

describe('the flags of mempalace mcp install', () => {
  it('become the arguments of a program', () => {
    expect(entryConfig({}, undefined)).toEqual({ kind: 'program', args: [] });
    expect(entryConfig({ tools: 'all', readOnly: true, agent: 'me' }, '/p')).toEqual({
      kind: 'program',
      args: ['--palace', '/p', '--tools', 'all', '--read-only', '--agent', 'me'],
    });
  });

  it('become the address of a server, to which no others apply', () => {
    const remote = { url: 'https://memory.example.org/mcp', tokenFile: '/t' };
    expect(entryConfig(remote, undefined)).toEqual({ kind: 'remote', ...remote });
    for (const one of [{ url: remote.url }, { tokenFile: '/t' }])
      expect(() => entryConfig(one, undefined)).toThrow(usage);
    for (const more of [{ tools: 'all' }, { readOnly: true }, { agent: 'me' }])
      expect(() => entryConfig({ ...remote, ...more }, undefined)).toThrow(usage);
    expect(() => entryConfig(remote, '/p')).toThrow(usage);
  });

  it.each([
    ['http://127.0.0.1:7425', 'http://127.0.0.1:7425/mcp'],
    ['http://127.0.0.1:7425/mcp/', 'http://127.0.0.1:7425/mcp'],
    ['https://x.example/palace/mcp', 'https://x.example/palace/mcp'],
  ])('complete the address %s', (url, whole) => {
    expect(entryConfig({ url, tokenFile: '/t' }, undefined)).toHaveProperty('url', whole);
  });

  it.each(['127.0.0.1:7425/mcp', 'localhost:7425/mcp'])('say what %s lacks', (url) => {
    expect(() => entryConfig({ url, tokenFile: '/t' }, undefined)).toThrow('begins with http:// or https://');
  });

  it.each(['memory', 'ftp://x/mcp', 'https://ada:secret@x/mcp', 'https://x/mcp?token=1', 'https://x/mcp#t'])(
    'do not take %s',
    (url) => {
      expect(() => entryConfig({ url, tokenFile: '/t' }, undefined)).toThrow(usage);
    },
  );
});

describe('what is printed', () => {
  it('has no token, whether it is added or removed', async () => {
    const entry = (token: string) => `{\n  "Authorization": "Bearer ${token}"\n}\n`;
    const shown = await difference(entry('former.secret-1'), entry('present~secret=='));
    expect(shown).toEqual(['-   "Authorization": "Bearer <token>"', '+   "Authorization": "Bearer <token>"']);
  });

  it('has no secret of another entry in the same line', async () => {
    const key = `sk-ant-api03-${'Zq7xK2mP9vT4'.repeat(6)}`;
    const shown = await difference(
      `{"env":{"ANTHROPIC_API_KEY":"${key}"}}`,
      `{"env":{"ANTHROPIC_API_KEY":"${key}"}, "hooks":{}}`,
    );
    expect(shown.join('\n')).not.toContain(key);
    expect(shown.join('\n')).toContain('"hooks":{}');
  });

  it('keeps references to files and variables', () => {
    for (const text of ['"Bearer {file:/home/me/token}"', `"Bearer \${TOKEN}"`, 'a bearer of news'])
      expect(withoutTokens(text)).toBe(text);
  });
});
