import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonPieces, type ListItem, listItems } from '../../src/platform/json-list.js';
import { temporaryFolder } from '../support/palace.js';

/** The streamed result as one document; undefined when it is not JSON. */
function together(bytes: Buffer): unknown {
  try {
    const { rest, items } = jsonPieces(bytes, 'sources');
    const all = [...items()];
    return all.length > 0 ? { ...(rest as object), sources: all } : rest;
  } catch {
    return undefined;
  }
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Words that look like JSON, in strings and as keys. */
const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('"sources":[', '\\', '\\"', '}]', '{"a":"}"}', 'sources', '\u2028', '\ud800'),
);
const { value } = fc.letrec((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, text, fc.integer(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(text, tie('value'), { maxKeys: 4 }),
}));
const object = fc.dictionary(text, value, { maxKeys: 5 });
const manifest = fc.record({
  skipped: fc.array(object),
  sources: fc.array(fc.oneof(object, value)),
  after: value,
});

it('gives the same document as JSON.parse', () => {
  fc.assert(
    fc.property(manifest, fc.constantFrom(undefined, 1), (document, indent) => {
      const bytes = Buffer.from(`${JSON.stringify(document, null, indent)}\n`);
      expect(together(bytes)).toEqual(parsed(bytes));
    }),
    { numRuns: 1_500 },
  );
});

it('fails where JSON.parse fails', () => {
  fc.assert(
    fc.property(
      manifest,
      fc.nat(),
      fc.constantFrom('"', '\\', '{', '}', ']', ',', 'x', ''),
      (document, place, put) => {
        const whole = JSON.stringify(document);
        const at = place % whole.length;
        const bytes = Buffer.from(whole.slice(0, at) + put + whole.slice(at + 1));
        expect(together(bytes)).toEqual(parsed(bytes));
      },
    ),
    { numRuns: 2_500 },
  );
});

it('accepts documents that are not objects of lists, too', () => {
  for (const other of [
    '',
    '5',
    'null',
    '[]',
    '{}',
    '{"sources":{}}',
    '{"sources":[1]}',
    '{"in":{"sources":[{}]}}',
  ])
    expect([other, together(Buffer.from(other))]).toEqual([other, parsed(Buffer.from(other))]);
});

it.each([0, 1, 2])(
  'finds items whose escapes are at the end of a read (shifted by %i bytes)',
  async (shift) => {
    const escaped = '\\"'.repeat(700_000);
    const first = `{"a":"${'x'.repeat(shift)}${escaped}\\\\"}`;
    const file = join(temporaryFolder(), 'list.json');
    writeFileSync(file, `[${first},{"b":1}]`);
    const items: ListItem[] = [];
    for await (const item of listItems(file, 'sources')) items.push(item);
    expect(items).toEqual([
      { start: 1, end: 1 + first.length, whole: true },
      { start: 2 + first.length, end: 9 + first.length, whole: true },
    ]);
  },
);
