import { expect, test } from 'vitest';
import { confirm } from '../../../src/cli/app/confirm.js';
import { Terminal } from '../../../src/terminal/terminal.js';

const terminal = new Terminal(process, { json: false, quiet: false, verbose: false, color: false });
const { signal } = new AbortController();

test('--yes skips the question', async () => {
  await expect(confirm('Erase it?', true, { terminal, signal })).resolves.toBe(true);
});

test('without a terminal, the hint says what to type', async () => {
  const asked = confirm('Erase it?', false, { terminal, signal });
  await expect(asked).rejects.toMatchObject({
    code: 'usage',
    hint: expect.stringMatching(/^--yes /),
  });
});

test('Ctrl-C at the question reports that nothing was done', async () => {
  const before = [process.stdin.isTTY, process.stderr.isTTY];
  [process.stdin.isTTY, process.stderr.isTTY] = [true, true];
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('stopped')), 0);
  try {
    const asked = confirm('Erase it?', false, { terminal, signal: controller.signal });
    await expect(asked).rejects.toMatchObject({ code: 'interrupted', hint: 'nothing was done' });
  } finally {
    [process.stdin.isTTY, process.stderr.isTTY] = before as [boolean, boolean];
  }
});
