import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  readWatchdogManifest,
  WATCHDOG_NAME,
  withMissingLines,
  writeWatchdogManifest,
} from '../../../src/feeders/docs/watchdog-manifest.js';
import { makeTree, survey } from './support.js';

const read = (text: string, files: Record<string, string> = {}) =>
  readWatchdogManifest(makeTree({ ...files, [WATCHDOG_NAME]: text }));

describe('a watchdog manifest', () => {
  it('is read line by line: a wrong line is named, the others count', () => {
    const { watched, wrong } = read(
      [
        '{"path": "chambers/a.md", "type": "Principle card", "priority": "high"}',
        '{"path": "broken.md"',
        '',
        '{"type": "palace"}',
        '{"path": "b.md", "priority": "urgent"}',
        '{"path": "c.md", "type": "-"}',
        '[1]',
        '{"path": "./notes//d.md", "owner": "mine"}',
        '{"path": "chambers/a.md", "priority": "low"}',
      ].join('\r\n'),
    );
    expect(Object.fromEntries(watched)).toEqual({
      'chambers/a.md': { type: undefined, priority: 'low' },
      'notes/d.md': { type: undefined, priority: undefined },
    });
    expect(wrong).toEqual([
      { line: 2, reason: 'not JSON' },
      { line: 4, reason: 'path: this must be a path below the folder of the manifest' },
      { line: 5, reason: 'priority: this must be high, medium or low' },
      { line: 6, reason: 'type: this must contain a letter or a digit' },
      { line: 7, reason: 'the line: this must be an object with path, type and priority' },
    ]);
  });

  it.each([
    '../a.md',
    'a/../../b.md',
    '/etc/passwd',
    '~/a.md',
    'C:\\a.md',
    '..\\a.md',
    '.',
    'a\0.md',
    'link/a.md',
    'link/gone.md',
    'link',
  ])('does not reach outside by %j', (path) => {
    const root = makeTree({ [WATCHDOG_NAME]: JSON.stringify({ path, priority: 'high' }) });
    symlinkSync(makeTree({ 'a.md': 'A.\n' }), join(root, 'link'));
    const { watched, wrong } = readWatchdogManifest(root);
    expect([watched.size, wrong]).toEqual([0, [{ line: 1, reason: 'path: it reaches outside the folder' }]]);
  });

  it('names no path outside, whatever its lines contain', () => {
    const piece = fc.constantFrom('..', '.', '/', '\\', 'a', '~', 'C:', 'link', '\0', ' ');
    const root = makeTree({ a: 'A.\n' });
    symlinkSync(makeTree({ 'a.md': 'A.\n' }), join(root, 'link'));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        writeFileSync(join(root, WATCHDOG_NAME), JSON.stringify({ path: pieces.join('') }));
        for (const path of readWatchdogManifest(root).watched.keys()) {
          expect(path.split('/')).not.toContain('..');
          expect(path).not.toMatch(/^link(?:\/|$)|^\//);
        }
      }),
    );
  });

  it('may name paths from the folder around it', () => {
    const root = makeTree({ 'a.md': 'A.\n' });
    const name = basename(root);
    writeFileSync(join(root, WATCHDOG_NAME), JSON.stringify({ path: `${name}/a.md`, type: 'palace' }));
    expect([...readWatchdogManifest(root).watched.keys()]).toEqual(['a.md']);
    mkdirSync(join(root, name));
    expect([...readWatchdogManifest(root).watched.keys()]).toEqual([`${name}/a.md`]);
  });

  it('is not read through a link', () => {
    const root = makeTree({});
    symlinkSync(join(makeTree({ m: '{"path":"a.md"}' }), 'm'), join(root, WATCHDOG_NAME));
    expect(readWatchdogManifest(root).watched.size).toBe(0);
    expect(() => writeWatchdogManifest(root, '')).toThrow('is not a regular file');
  });

  it('gets a line for each document without one, and keeps every other byte', async () => {
    const text = '{"path":"a.md", "priority":"low"}\nmy own words';
    const root = makeTree({
      [WATCHDOG_NAME]: text,
      'a.md': 'A.\n',
      'b.md': '---\ntype: thinking path\npriority: high\n---\nB.\n',
      'c.txt': 'C.\n',
    });
    const { documents, skipped } = await survey(root);
    expect(skipped.map(({ reason }) => reason)).toEqual(['file of this program']);
    const { text: longer, added } = withMissingLines(readWatchdogManifest(root), documents);
    expect(added).toEqual(['b.md', 'c.txt']);
    expect(longer).toBe(
      `${text}\n{"path":"b.md","type":"thinking-path","priority":"high"}\n{"path":"c.txt"}\n`,
    );
    const { mode } = statSync(join(root, WATCHDOG_NAME));
    writeWatchdogManifest(root, longer);
    expect(readFileSync(join(root, WATCHDOG_NAME), 'utf8')).toBe(longer);
    expect(statSync(join(root, WATCHDOG_NAME)).mode).toBe(mode);
    expect(withMissingLines(readWatchdogManifest(root), documents).added).toEqual([]);
  });
});
