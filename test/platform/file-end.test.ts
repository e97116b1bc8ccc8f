import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readEnd } from '../../src/platform/file-end.js';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'file-end-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

it('reads whole lines from the end, and a short file as a whole', () => {
  const file = join(folder(), 'lines');
  writeFileSync(file, 'one\ntwo\nthree\n');
  const end = (most: number) => readEnd(file, most).bytes.toString();
  expect([end(100), end(14), end(9), end(6), end(3)]).toEqual([
    'one\ntwo\nthree\n',
    'one\ntwo\nthree\n',
    'three\n',
    '',
    '',
  ]);
  writeFileSync(file, 'a line that is longer than the part that is read');
  expect(end(10)).toBe('');
  expect(readEnd(file, 10).size).toBe(48);
});

it('does not wait for the writer of a named pipe', () => {
  const pipe = join(folder(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(readEnd(pipe, 100).bytes.length).toBe(0);
});
