import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { parseConfigFile } from '../../src/config/file.js';
import { UserError } from '../../src/core/errors.js';
import { readProjectConfig } from '../../src/feeders/docs/config.js';
import { WHOLE_MAX } from '../../src/miner/chunk/limits.js';
import { conversationSegments } from '../../src/miner/read/conversation.js';
import { textSegments } from '../../src/miner/read/document.js';
import { frontMatterOf } from '../../src/miner/read/front-matter.js';
import { readRecord } from '../../src/miner/read/records.js';
import type { Segment } from '../../src/miner/segment.js';
import { it } from '../support/it.js';
import { temporaryFolder } from '../support/palace.js';
import { times } from '../support/thorough.js';

/** This percentage of 100,000 inputs (1,000 in `npm test`). */
const share = (hundredths: number) => ({ numRuns: times(10, 1_000) * hundredths });

/** A chunk may exceed the limit by an indivisible unit: a grapheme, or a heading with the text that follows. */
const LARGEST = WHOLE_MAX + 200;

const marks = fc.constantFrom(
  ...[
    '# ',
    '## ',
    '###### ',
    '- ',
    '1. ',
    '> ',
    '```',
    '~~~',
    '---\n',
    '+++\n',
    '===\n',
    '| a | b |\n|---|---|\n',
  ],
  ...['<div>', '<!--', '-->', '<script>', '</script>', '[a]: b', '![x](y)', '\\', '`', '***', '    ', '\t'],
  ...[
    'title: ',
    'date: 2026-01-02\n',
    '{{',
    '$$',
    '\r',
    '\r\n',
    '\n',
    '\n\n',
    '\u2028',
    '\u0085',
    '\ufeff',
    '\0',
  ],
);
const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ maxLength: 300 }),
  fc.constantFrom(
    '👨‍👩‍👧‍👦'.repeat(90),
    `e${'\u0301'.repeat(400)}`,
    'x'.repeat(2_300),
    ' '.repeat(1_900),
    '\ud800',
    '蜂'.repeat(900),
  ),
  fc
    .tuple(fc.constantFrom('word ', 'a.b ', '蜂。', '> ', '- '), fc.nat(400))
    .map(([text, count]) => text.repeat(count)),
);
const text = fc
  .array(fc.oneof({ weight: 3, arbitrary: marks }, { weight: 2, arbitrary: odd }), { maxLength: 25 })
  .map((parts) => parts.join(''));
const name = fc.constantFrom(
  'a.md',
  'b/a.mdx',
  'a.txt',
  'a.rst',
  'a.adoc',
  'a.yaml',
  'a.toml',
  'a.json',
  'Makefile',
  '',
);

function expectVerbatim(whole: string, segments: readonly Segment[]): void {
  expect(segments.map((segment) => segment.text).join('')).toBe(whole);
  const chunks = segments.flatMap((segment) => segment.chunks);
  expect(chunks.map((chunk) => chunk.text).join('')).toBe(whole);
  for (const chunk of chunks) {
    expect(chunk.text.trim().length).toBeLessThanOrEqual(LARGEST);
    expect(chunk.context.length).toBeLessThanOrEqual(200);
  }
}

describe('any document', () => {
  it('is cut into bounded chunks that together contain every character', () => {
    fc.assert(
      fc.property(text, name, (whole, file) => {
        expectVerbatim(whole, [...textSegments(whole, { name: file, mtimeMs: 0 })]);
      }),
      share(40),
    );
  });
});

const yamlPiece = fc.constantFrom(
  ...'title date wing rooms priorities match priority name privacy rules search palace'.split(' '),
  ...[
    ': ',
    ':',
    '- ',
    '\n',
    '\n  ',
    '\n    ',
    ', ',
    '[',
    ']',
    '{',
    '}',
    '&a ',
    '*a',
    '<<: *a',
    '!!set ',
    '!x ',
    '|',
    '>-\n',
  ],
  ...[
    '"',
    "'",
    '#',
    '?',
    '\t',
    '%YAML 1.2',
    '---',
    '...',
    '2026-01-02',
    '1e999',
    '0x10',
    '~',
    'null',
    'yes',
    '\0',
    '\ufeff',
  ],
);
const yaml = fc
  .array(fc.oneof({ weight: 5, arbitrary: yamlPiece }, { weight: 1, arbitrary: odd }), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('any YAML', () => {
  it('as front matter gives strings or nothing, and stays in the text', () => {
    fc.assert(
      fc.property(yaml, fc.constantFrom('---', '+++'), (source, fence) => {
        const whole = `${fence}\n${source}\n${fence}\n\nBody.\n`;
        const { title, date } = frontMatterOf(whole);
        if (title !== undefined) expect(title).not.toMatch(/\n/);
        if (date !== undefined) expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
        expectVerbatim(whole, [...textSegments(whole, { name: 'a.md', mtimeMs: 0 })]);
      }),
      share(10),
    );
  });

  it('as config.yaml gives settings or an error', () => {
    fc.assert(
      fc.property(yaml, (source) => {
        try {
          parseConfigFile(source, '/home/you/config.yaml', '/home/you');
        } catch (error) {
          if (!(error instanceof UserError && error.code === 'config')) throw error;
          expect(error.message).toContain('config.yaml');
        }
      }),
      share(10),
    );
  });

  it('as mempalace.yaml gives the settings of a project or an error', async () => {
    const root = temporaryFolder();
    await fc.assert(
      fc.asyncProperty(yaml, async (source) => {
        writeFileSync(join(root, 'mempalace.yaml'), source);
        await readProjectConfig(root).catch((error: unknown) => {
          if (!(error instanceof UserError && error.code === 'config')) throw error;
          expect(error.message).toContain('mempalace.yaml');
        });
      }),
      share(5),
    );
  });
});

const key = fc.constantFrom(
  ...'type message content role uuid messageId timestamp summary isMeta isCompactSummary'.split(' '),
  ...[
    ...'text thinking tool_use tool_result id tool_use_id name input is_error source'.split(' '),
    ...'__proto__'.split(' '),
  ],
);
const word = fc.oneof(
  fc.constantFrom(
    ...'user assistant human summary system text thinking tool_use tool_result image'.split(' '),
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    fc.constantFrom(null, true, 0, -1, 1e300, '2026-03-02T10:00:00Z', ''),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 6 }),
  ),
}));
/** An almost valid record, so that deeper code is reached, too. */
const near = fc
  .tuple(
    fc.constantFrom('user', 'assistant', 'human'),
    value,
    fc.dictionary(key, value, { maxKeys: 4 }),
    text,
  )
  .map(([type, content, rest, said]) => ({
    ...rest,
    type,
    message: { content: Array.isArray(content) ? [{ type: 'text', text: said }, ...content] : content },
  }));
const line = fc.oneof(
  near.map((each) => JSON.stringify(each)),
  value.map((each) => JSON.stringify(each) ?? ''),
  near.map((each) => JSON.stringify(each).slice(0, -5)),
  fc.string({ maxLength: 80 }),
);

describe('any transcript', () => {
  it('is, line by line, a record or a named problem', () => {
    fc.assert(
      fc.property(line, (each) => {
        expect(['turn', 'summary', 'silent', 'malformed']).toContain(readRecord(each).kind);
      }),
      share(30),
    );
  });

  it('is cut into bounded chunks, and every invalid line is named', async ({ folder }) => {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, 'a.jsonl');
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        writeFileSync(path, lines.join('\n'));
        const problems: number[] = [];
        for await (const segment of conversationSegments({ path })) {
          problems.push(...segment.problems.map((problem) => problem.line));
          for (const chunk of segment.chunks) expect(chunk.text.trim().length).toBeLessThanOrEqual(LARGEST);
          const end = segment.chunks.at(-1)?.end ?? 0;
          expect(end).toBeGreaterThanOrEqual(segment.chunks[0]?.start ?? 0);
        }
        const broken = lines
          .join('\n')
          .split('\n')
          .flatMap((each, index) =>
            each.trim() !== '' && readRecord(each).kind === 'malformed' ? [index + 1] : [],
          );
        // A file without turns is one problem as a whole.
        const turns = lines
          .join('\n')
          .split('\n')
          .some((each) => readRecord(each).kind === 'turn');
        expect(problems).toEqual(turns ? broken : [0]);
      }),
      share(5),
    );
  });
});
