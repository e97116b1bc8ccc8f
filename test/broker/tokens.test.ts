import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newToken, readTokenFile } from '../../src/broker/tokens.js';
import { temporaryFolder } from '../support/palace.js';

it('reads a token from a file of its user only, and does not wait for a pipe', () => {
  const folder = temporaryFolder();
  const [file, inner, pipe] = ['token', 'folder', 'pipe'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const token = newToken();
  writeFileSync(file, `${token}\n`, { mode: 0o600 });
  mkdirSync(inner);
  execFileSync('mkfifo', ['-m', '600', pipe]);
  expect(readTokenFile(file)).toBe(token);
  expect(readTokenFile(join(folder, 'gone'))).toBeUndefined();
  for (const other of [inner, pipe]) expect(() => readTokenFile(other)).toThrow(`${other} is not a file`);
});
