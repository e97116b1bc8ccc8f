import { describe, expect, it } from 'vitest';
import { dateInName, frontMatterOf } from '../../../src/miner/read/front-matter.js';

describe('front matter', () => {
  it.each([
    ['---\ntitle: "A \\"b\\": c"\ndate: 2024-05-17\n---\n', { title: 'A "b": c', date: '2024-05-17' }],
    [
      "---\r\ntitle: 'x'\r\ncreated: 2024-05-17T23:00:00-05:00\r\n---\r\n",
      { title: 'x', date: '2024-05-18' },
    ],
    ['---\npublished: 2024-02-30\ncreated: "2024-03-01 10:00"\n---\n', { date: '2024-03-01' }],
    [
      '+++\ntitle = "T"\ndate = 2024-05-17T10:00:00Z\n[more]\ntitle = "no"\n+++\n',
      { title: 'T', date: '2024-05-17' },
    ],
    ['---\ntitle: [broken\n---\n', { title: '[broken' }],
    ['---\ntitle: Plan: part two\ndate: 2026-03-04\n---\n', { title: 'Plan: part two', date: '2026-03-04' }],
    ['---\ntitle: "a "b" c"\ndate: 2026-03-04 # d\n---\n', { title: 'a "b" c', date: '2026-03-04' }],
    ['---\ntitle: x\nnote: a: b\n  - c\ndate: 2026-03-04\n---\n', { title: 'x', date: '2026-03-04' }],
    ['---\ntitle: Pandoc\n...\ntext\n', { title: 'Pandoc' }],
    ['---\nTitle: Plan: b\nDate: 2026-03-04\n---\n', { title: 'Plan: b', date: '2026-03-04' }],
    ['---\ntitle: !important: b\ndate: 2026-03-04\n---\n', { title: '!important: b', date: '2026-03-04' }],
    ['+++\ntitle = "a \\"b\\" c"\n+++\n', { title: 'a "b" c' }],
    ['+++\ntitle = """Plan: a"""\n+++\n', { title: 'Plan: a' }],
    ['---\ntitle: A\n---\n\n---\ntitle: B\ndate: 2026-03-04\n---\n', { title: 'A', date: '2026-03-04' }],
    ['\ufeff---\ntitle: marked\n---\n', { title: 'marked' }],
    ['---\ntitle: never closed\n', {}],
    ['\n---\ntitle: late\n---\n', {}],
    ['---\na: &a [x]\nb: [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n---\n', {}],
  ])('%j', (text, expected) => {
    expect(frontMatterOf(text)).toEqual(expected);
  });
});

it.each(['null', '~', '""', "''", 'NULL', ''])('a title %j is none', (none) => {
  expect(frontMatterOf(`---\ntitle: ${none}\ndate: 2026-03-06\n---\n`)).toEqual({ date: '2026-03-06' });
});

describe('dates', () => {
  it('in file names', () => {
    expect(dateInName('log/2024-05-17-release.md')).toBe('2024-05-17');
    expect(dateInName('notes_20240517.txt')).toBe('2024-05-17');
    expect(dateInName('2024-05-17/notes.txt')).toBeUndefined();
    expect(dateInName('build-120240517.txt')).toBeUndefined();
    expect(dateInName('2024-13-40.md')).toBeUndefined();
    // Moments in UTC; the tests run in St. John's.
    expect(dateInName('diary/ann/2024-05-17T022959Z-1f.md')).toBe('2024-05-16');
    expect(dateInName('20240517T023000123Z.md')).toBe('2024-05-17');
  });
});
