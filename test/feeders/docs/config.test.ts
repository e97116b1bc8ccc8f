import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readProjectConfig } from '../../../src/feeders/docs/config.js';
import { removeFolder } from '../../support/cleanups.js';
import { makeFifo } from './support.js';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'config-'));
});
afterEach(() => {
  removeFolder(root);
});

const read = (text: string | Uint8Array) => {
  writeFileSync(join(root, 'mempalace.yaml'), text);
  return readProjectConfig(root);
};

describe('mempalace.yaml', () => {
  it('is optional, with optional keys', async () => {
    expect(await readProjectConfig(root)).toBeUndefined();
    const empty = {
      sha256: expect.any(String),
      wing: undefined,
      rooms: [],
      includePatterns: [],
      excludePatterns: [],
      priorities: [],
    };
    expect(await read('')).toEqual(empty);
    expect(await read('# nothing yet\n')).toEqual(empty);
    expect(await read('wing:\nrooms:\ninclude_patterns:\n')).toEqual(empty);
  });

  it('says which keys are nearly known ones', async () => {
    const text = [
      'exclude_pattern: ["docs/secret*"]',
      'include-patterns: []',
      'wings: wing_x',
      'rooms:',
      '  - name: a',
      '    keyword: [b]',
      '    colour: red',
      'priorities:',
      '  - { match: a, priority: low }',
      '  - { match: b, priority: low, priorty: high }',
      'palace_version: 3',
    ];
    const config = await read(text.join('\n'));
    const said = (line: number, key: string, known: string) =>
      `mempalace.yaml:${line}: ${key} is not a key and is ignored, did you mean ${known}?`;
    expect(config?.notes).toEqual([
      said(1, 'exclude_pattern', 'exclude_patterns'),
      said(2, 'include-patterns', 'include_patterns'),
      said(3, 'wings', 'wing'),
      said(6, 'keyword', 'keywords'),
      said(10, 'priorty', 'priority'),
    ]);
    expect((await read('exclude: [a]\nincludes: [b]\n'))?.notes).toEqual([
      said(1, 'exclude', 'exclude_patterns'),
      said(2, 'includes', 'include_patterns'),
    ]);
    expect((await read('room:\n  - name: a\n'))?.notes).toEqual([said(1, 'room', 'rooms')]);
  });

  it('gives wing, rooms and patterns, and ignores keys of other programs', async () => {
    const text = [
      'wing: wing_x',
      'palace_version: 3',
      'rooms:',
      '  - name: guides',
      '    description: how to',
      '    keywords: [docs, 2024]',
      '    color: red',
      '  - name: "a\\u0007b"',
      'include_patterns: ["*.sql"]',
      'exclude_patterns:',
      '  - /drafts/',
      'priorities:',
      '  - { match: docs/adr/, priority: high, why: decisions }',
      '  - match: "*.log.md"',
      '    priority: low',
    ];
    expect(await read(text.join('\r\n'))).toEqual({
      sha256: createHash('sha256').update(text.join('\r\n')).digest('hex'),
      wing: 'wing_x',
      rooms: [
        { name: 'guides', description: 'how to', keywords: ['docs', '2024'] },
        { name: 'ab', description: undefined, keywords: [] },
      ],
      includePatterns: ['*.sql'],
      excludePatterns: ['/drafts/'],
      priorities: [
        { match: 'docs/adr/', priority: 'high' },
        { match: '*.log.md', priority: 'low' },
      ],
    });
    expect((await read(Buffer.from('wing: wing_ü\n', 'utf16le')))?.wing).toBe('wing_ü');
  });

  it.each([
    ['wing: a\nrooms: [\n', 3],
    ['wing: a\n  b: c\n', 1],
    ['wing: ../../outside\n', 1],
    ['\nwing: a/b\n', 2],
    ['wing: ""\n', 1],
    ['wing: [a]\n', 1],
    ['wing: a\nwing: b\n', 2],
    ['- a\n- b\n', 1],
    ['just text\n', 1],
    ['rooms:\n  - name: a\n  - keywords: [b]\n', 3],
    ['rooms:\n  - name: " "\n', 2],
    ['rooms: guides\n', 1],
    ['exclude_patterns:\n  - ok\n  - ../other\n', 3],
    ['include_patterns:\n  - "/../x"\n', 2],
    ['include_patterns: ["!a/../../x"]\n', 1],
    ['include_patterns: ["a\\\\..\\\\x"]\n', 1],
    ['include_patterns:\n  - 5\n', 2],
    ['priorities: high\n', 1],
    ['priorities:\n  - match: a\n    priority: high\n  - match: b\n    priority: urgent\n', 5],
    ['priorities:\n  - priority: high\n', 2],
    ['priorities:\n  - match: "!a"\n    priority: high\n', 2],
    ['priorities:\n  - match: ../a\n    priority: high\n', 2],
    ['priorities:\n  - match: ""\n    priority: low\n', 2],
    [`wing: a\nx: ${'['.repeat(10)}`, 2],
  ])('%j is refused, with its line', async (text, line) => {
    const error = await read(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'UserError', code: 'config' });
    expect(String(error)).toMatch(/mempalace\.yaml:\d+: \S/);
    expect(String(error)).toContain(`mempalace.yaml:${line}:`);
  });

  it('refuses endless input at once', async () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, i) => {
        const before = 'abcdefgh'[i];
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(',')}]`;
      })
      .join('\n')}\n`;
    const hostile = [
      bomb,
      `x: &x 1\ny: [${'*x,'.repeat(20_000)}]\n`,
      Array.from({ length: 15_000 }, (_, i) => `key${i}: 1`).join('\n'),
      '['.repeat(20_000),
      `"${'\\\\x'.repeat(20_000)}`,
      'a'.repeat(256 * 1024 + 1),
    ];
    for (const text of hostile) {
      const started = performance.now();
      await read(text).catch((error: unknown) => expect(error).toMatchObject({ code: 'config' }));
      expect(performance.now() - started, text.slice(0, 40)).toBeLessThan(20_000);
    }
  }, 120_000);

  it('is accepted or refused with a usage error, for any content', async () => {
    const piece = fc.constantFrom(
      'wing',
      ':',
      ' ',
      '\n',
      '- ',
      'rooms',
      'name',
      '[',
      ']',
      '{',
      '&a',
      '*a',
      '"',
      "'",
      '|',
      '\t',
      '#',
      '!x',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 20 }), async (pieces) => {
        await read(pieces.join('')).catch((error: unknown) =>
          expect(error).toMatchObject({ code: 'config' }),
        );
      }),
      { numRuns: 200 },
    );
  });

  it('is not read through a link, nor from a FIFO', async () => {
    writeFileSync(join(root, 'other'), 'wing: elsewhere\n');
    symlinkSync('other', join(root, 'mempalace.yaml'));
    expect(await readProjectConfig(root)).toBeUndefined();
    rmSync(join(root, 'mempalace.yaml'));
    if (process.platform !== 'win32') makeFifo(join(root, 'mempalace.yaml'));
    expect(await readProjectConfig(root)).toBeUndefined();
  });
});
