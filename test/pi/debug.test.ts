import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { debugLog } from '../../contrib/pi/debug.js';
import { TestEnv } from '../support/test-env.js';

const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true);
const terminal = process.stderr.isTTY;
afterEach(() => {
  stderr.mockClear();
  process.stderr.isTTY = terminal;
});

it.each([
  ['nowhere without MEMPALACE_EXT_DEBUG', false, true, true, '', ''],
  ["on pi's stderr", true, false, true, '[mempalace] words\n', ''],
  ["on pi's stderr where it is not the screen", true, true, false, '[mempalace] words\n', ''],
  ['in a file where pi draws', true, true, true, '', '[mempalace] words\n'],
])('what goes wrong is shown %s', (_, debug, hasUI, tty, onStderr, inFile) => {
  const agentFolder = new TestEnv().home;
  process.stderr.isTTY = tty;
  debugLog({ debug, agentFolder }, { hasUI })('words');
  expect(stderr.mock.calls.flat().join('')).toBe(onStderr);
  const read = () => readFileSync(join(agentFolder, 'mempalace-debug.log'), 'utf8');
  if (inFile === '') expect(read).toThrow('ENOENT');
  else expect(read()).toBe(inFile);
});

it('a log that cannot be written stops nothing', () => {
  process.stderr.isTTY = true;
  expect(() => debugLog({ debug: true, agentFolder: '/nowhere' }, { hasUI: true })('words')).not.toThrow();
});
