import { describe, expect, it } from 'vitest';
import { NOTICE } from '../../src/core/outside.js';
import { readsPalace, withoutQuotes } from '../../src/sanitiser/index.js';

const ID = 'drawer_0123456789ab';
const OTHER = 'drawer_ba9876543210';

describe('a call that reads the palace', () => {
  it.each([
    ['mcp__mempalace__mempalace_search', { query: 'x' }],
    ['mcp__memory__mempalace_search', { query: 'x' }],
    ['mempalace_mempalace_wake_up', {}],
    ['mempalace__search', {}],
    ['mempalace-search', {}],
    ['exec', 'const r = await tools.mcp__mempalace__mempalace_search({query: "x"}); text(r)'],
    ['codemode', { code: 'await tools["mcp__mempalace__mempalace_search"]({})' }],
    ['mcp', { server: 'mempalace', tool: 'search', args: '{}' }],
    ['Bash', { command: 'mempalace search "when is it"' }],
    ['Bash', { command: 'cd /p && ~/.local/bin/mempalace wake-up --tokens 500 | head -40' }],
    ['Bash', { command: 'MEMPALACE_PALACE_PATH=/x timeout 5 mempalace --no-color show drawer_12345678' }],
    ['shell', { command: ['bash', '-lc', 'mempalace timeline drawer_12345678'] }],
    ['exec_command', { cmd: 'x=$(mempalace search y --json)' }],
    ['Bash', { command: 'mempalace file src/auth.ts --json' }],
    ['Bash', { command: 'mempalace patterns --kind error; mempalace task list' }],
    ['Bash', { command: 'ssh host -- bash -lc "mempalace search x"' }],
    ['shell', 'command: ["bash","-lc","mempalace search x"]\nworkdir: /p'],
  ])('is %s %j', (name, input) => expect(readsPalace(name, input)).toBe(true));

  it.each([
    ['Bash', { command: 'grep -rn "mempalace" src' }],
    ['Bash', { command: 'mempalace mine . && mempalace status' }],
    ['Bash', { command: 'grep -rn "mempalace search" docs; echo "mempalace show x"' }],
    ['Bash', { command: 'npm run mempalace-search' }],
    ['Bash', { command: 'ls ~/.mempalace/show' }],
    ['Edit', { file_path: 'a.md', new_string: 'Type `mempalace search x`.' }],
    ['Read', { file_path: '/home/dev/mempalace/README.md' }],
    ['exec', 'text(await tools.shell({cmd: "ls"}))'],
    ['search', { query: 'mempalace' }],
  ])('is not %s %j', (name, input) => expect(readsPalace(name, input)).toBe(false));
});

describe('quoted output of the palace', () => {
  it('becomes one line with the ids, each once', () => {
    const text = JSON.stringify({ hits: [{ drawer_id: ID, text: 'a' }, { drawer_id: OTHER }, { near: ID }] });
    const line = `[mempalace: 2 drawers: ${ID}, ${OTHER}]`;
    expect(withoutQuotes(text, true)).toEqual({ text: line, quoted: true });
    expect(withoutQuotes(line, true)).toEqual({ text: line, quoted: false });
    expect(withoutQuotes('{"hits":[]}', true).text).toBe('[mempalace: 0 drawers]');
    expect(withoutQuotes(ID, true).text).toBe(`[mempalace: 1 drawer: ${ID}]`);
  });

  it('is removed from its notice to the end of the text, or of its element', () => {
    const told = `memory (${NOTICE})\n\n## recent sessions\n│ - ${ID}\n│   asked: Why?\n`;
    expect(withoutQuotes(told).text).toBe(`[mempalace: 1 drawer: ${ID}]`);
    expect(withoutQuotes(`Before.\n${told}`).text).toBe(`Before.\n[mempalace: 1 drawer: ${ID}]`);
    expect(withoutQuotes(`<hook>\n${told}</hook>\nWhat is next?`).text).toBe(
      `<hook>\n[mempalace: 1 drawer: ${ID}]\n</hook>\nWhat is next?`,
    );
    expect(withoutQuotes(`$ x\nresults (${NOTICE})\n\n${ID} a\n│ b`).text).toBe(
      `$ x\n[mempalace: 1 drawer: ${ID}]`,
    );
  });

  it('is not text that only mentions the notice', () => {
    for (const text of [`export const NOTICE = '${NOTICE}';`, `It says (${NOTICE}) there.`, 'memory (new)'])
      expect(withoutQuotes(text)).toEqual({ text, quoted: false });
  });
});
