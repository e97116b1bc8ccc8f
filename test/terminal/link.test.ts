import { hostname } from 'node:os';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadColours } from '../../src/terminal/io.js';
import { framedPlace, viewOf } from '../../src/terminal/labels.js';
import { linkToFile, withoutLinks } from '../../src/terminal/link.js';
import { Terminal } from '../../src/terminal/terminal.js';

describe('a link to a file', () => {
  it('names host and path, and shows the text', () => {
    expect(linkToFile('/home/dev/a b.md', 'a b.md')).toBe(
      `\u001b]8;;file://${hostname()}/home/dev/a%20b.md\u001b\\a b.md\u001b]8;;\u001b\\`,
    );
  });

  it('contains no control character of the path', () => {
    const link = linkToFile('/home/\u001b]0;title\u0007\u001b\\x\n.md', 'x.md');
    expect(link.split('\u001b')).toHaveLength(5);
    expect(link).not.toMatch(/[\u0007\n]/);
  });

  it('is not made of what is no path', () => {
    for (const origin of ['opencode://ses_1', 'drawer', 'https://example.org/a'])
      expect(linkToFile(origin, origin)).toBe(origin);
  });

  it('is taken away for a pager', () => {
    expect(withoutLinks(`| ${linkToFile('/a.md', '\u001b[2m/a.md\u001b[22m')} |`)).toBe(
      '| \u001b[2m/a.md\u001b[22m |',
    );
  });
});

describe('links of an output', () => {
  const before = process.env.FORCE_HYPERLINK;
  // The library that knows the terminals reads the environment of the process.
  beforeEach(() => {
    process.env.FORCE_HYPERLINK = '1';
  });
  afterEach(() => {
    if (before === undefined) delete process.env.FORCE_HYPERLINK;
    else process.env.FORCE_HYPERLINK = before;
  });

  async function placeOn(isTTY: boolean, env: NodeJS.ProcessEnv, options = {}): Promise<string> {
    const stdout = Object.assign(new PassThrough(), { isTTY });
    const io = { stdin: new PassThrough(), stdout, stderr: new PassThrough(), env };
    await loadColours(io);
    const terminal = new Terminal(io, { json: false, quiet: false, verbose: false, color: true, ...options });
    return framedPlace({ title: 'A', where: 'w / r', origin: '/a.md' }, viewOf(terminal, '/home')).join('\n');
  }

  it('are at a terminal that shows them', async () => {
    expect(await placeOn(true, {})).toContain(linkToFile('/a.md', '\u001b[2m/a.md\u001b[22m'));
  });

  it('are not in pipes, not without colours, and not in JSON', async () => {
    expect(await placeOn(false, {})).not.toContain('\u001b]8');
    expect(await placeOn(false, { FORCE_COLOR: '1' })).not.toContain('\u001b]8');
    expect(await placeOn(true, { NO_COLOR: '1' })).not.toContain('\u001b]8');
    expect(await placeOn(true, { TERM: 'dumb' })).not.toContain('\u001b]8');
    expect(await placeOn(true, {}, { color: false })).not.toContain('\u001b]8');
    expect(await placeOn(true, {}, { json: true })).not.toContain('\u001b]8');
  });

  it('are not where the terminal does not know them', async () => {
    process.env.FORCE_HYPERLINK = '0';
    expect(await placeOn(true, {})).not.toContain('\u001b]8');
  });
});
