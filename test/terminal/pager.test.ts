import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { printLong } from '../../src/terminal/pager.js';
import { temporaryFolder } from '../support/palace.js';

/** A terminal with a pager, and the text that was printed without it. */
function screenOf(rows: number, command: string, env: NodeJS.ProcessEnv = process.env) {
  let printed = '';
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      printed += chunk;
      done();
    },
  });
  const output = Object.assign(stdout, { isTTY: true, columns: 80, rows });
  const io = { stdin: Readable.from([]), stdout: output, stderr: output, env: { ...env, PAGER: command } };
  return { terminal: { io, pageable: true }, printed: () => printed };
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
    const { terminal, printed } = screenOf(24, command);
    await printLong(terminal, true, [LINES.slice(0, 100), LINES.slice(100, 300), LINES.slice(300)]);
    expect(readFileSync(out, 'utf8')).toBe(LINES);
    expect(printed()).toBe('');
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
      await printLong(screenOf(5, command, { ...env, ...own }).terminal, true, [LINES]);
      expect(readFileSync(out, 'utf8')).toBe(told);
    }
  });

  it('is not used if the screen is large enough', async () => {
    const { command, out } = pager(COPY);
    const { terminal, printed } = screenOf(60, command);
    await printLong(terminal, true, [LINES]);
    expect(readFileSync(out, 'utf8')).toBe('');
    expect(printed()).toBe(LINES);
  });

  it('starts less by default, and nothing on a terminal without abilities', async () => {
    const folder = temporaryFolder();
    const less = join(folder, 'less');
    writeFileSync(less, '#!/bin/sh\ncat > "$0.out"\n', { mode: 0o755 });
    for (const [TERM, paged] of [
      ['dumb', false],
      ['xterm', true],
    ] as const) {
      const { terminal, printed } = screenOf(5, '', {});
      const io = { ...terminal.io, env: { TERM, PATH: `${folder}:${process.env.PATH}` } };
      await printLong({ ...terminal, io }, true, [LINES]);
      expect(existsSync(`${less}.out`)).toBe(paged);
      expect(printed()).toBe(paged ? '' : LINES);
    }
    const { command, out } = pager(COPY);
    await printLong(screenOf(5, command, { TERM: 'dumb' }).terminal, true, [LINES]);
    expect(readFileSync(out, 'utf8')).toBe(LINES);
  });

  it('is not used if the pager is missing', async () => {
    const { terminal, printed } = screenOf(5, 'no-such-pager -x');
    await printLong(terminal, true, [LINES, 'the end']);
    expect(printed()).toBe(`${LINES}the end`);
  });

  it('ends with the pager, and then Ctrl-C is handled again', async () => {
    const { command } = pager('process.exit(0);');
    const ours = (): void => {};
    process.on('SIGINT', ours);
    try {
      let written = 0;
      const endless = (function* () {
        for (; written < 10_000; written += 1) yield LINES;
      })();
      await printLong(screenOf(5, command).terminal, true, endless);
      expect(written).toBeLessThan(10_000);
      expect(process.listeners('SIGINT')).toContain(ours);
    } finally {
      process.off('SIGINT', ours);
    }
  });
});
