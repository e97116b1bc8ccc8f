import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Output, pagedOutput } from '../../../src/cli/terminal/pager.js';
import { temporaryFolder } from '../../support/palace.js';

function collector(): Output & { text: string } {
  return {
    text: '',
    closed: false,
    async write(text) {
      this.text += text;
    },
    async end() {},
  };
}

/** The test's own pager, since a machine may have none. */
function pager(source: string): { command: string; out: string } {
  const folder = temporaryFolder();
  const file = join(folder, 'pager.mjs');
  const out = join(folder, 'out');
  writeFileSync(out, '');
  writeFileSync(file, source);
  return { command: `${process.execPath} ${file} ${out}`, out };
}

const COPY =
  "import { createWriteStream } from 'node:fs'; process.stdin.pipe(createWriteStream(process.argv[2]));";
const LINES = Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join('');

describe('paging', () => {
  it('begins when the text is longer than the screen', async () => {
    const { command, out } = pager(COPY);
    const fallback = collector();
    const output = pagedOutput(command, process.env, () => 24, fallback);
    await output.write(LINES.slice(0, 100));
    await output.write(LINES.slice(100));
    await output.end();
    expect(readFileSync(out, 'utf8')).toBe(LINES);
    expect(fallback.text).toBe('');
  });

  it('is set to UTF-8, unless the user set another charset', async () => {
    const TELL =
      "import { writeFileSync } from 'node:fs'; writeFileSync(process.argv[2], process.env.LESSCHARSET);";
    for (const [own, told] of [
      [{}, 'utf-8'],
      [{ LESSCHARSET: 'latin1' }, 'latin1'],
    ] as const) {
      const { command, out } = pager(TELL);
      const { LESSCHARSET: _, ...env } = process.env;
      const output = pagedOutput(command, { ...env, ...own }, () => 5, collector());
      await output.write(LINES);
      await output.end();
      expect(readFileSync(out, 'utf8')).toBe(told);
    }
  });

  it('is not used if the screen is large enough', async () => {
    const { command, out } = pager(COPY);
    const fallback = collector();
    const output = pagedOutput(command, process.env, () => 60, fallback);
    await output.write(LINES);
    await output.end();
    expect(readFileSync(out, 'utf8')).toBe('');
    expect(fallback.text).toBe(LINES);
  });

  it('is not used if the pager is missing', async () => {
    const fallback = collector();
    const output = pagedOutput('no-such-pager -x', process.env, () => 5, fallback);
    await output.write(LINES);
    await output.end();
    expect(fallback.text).toBe(LINES);
  });

  it('ends with the pager, and then Ctrl-C is handled again', async () => {
    const { command } = pager('process.exit(0);');
    const ours = (): void => {};
    process.on('SIGINT', ours);
    try {
      const output = pagedOutput(command, process.env, () => 5, collector());
      for (let i = 0; i < 10_000 && !output.closed; i += 1) await output.write(LINES);
      expect(output.closed).toBe(true);
      await output.end();
      expect(process.listeners('SIGINT')).toContain(ours);
    } finally {
      process.off('SIGINT', ours);
    }
  });
});
