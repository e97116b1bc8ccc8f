import { describe, expect } from 'vitest';
import { patternsIn } from '../../../src/knowledge/patterns/index.js';
import { PieceBuilder } from '../../../src/miner/pieces.js';
import type { Palace } from '../../../src/store/index.js';
import { it } from '../../support/it.js';
import { filingOf } from '../../support/palace.js';
import { type Done, fileSession } from '../../support/worked-sessions.js';

const test = (failure?: string): Done => ['Bash', { command: 'npm test' }, failure];
const edit = (file_path: string): Done => ['Edit', { file_path, old_string: 'a', new_string: 'b' }];
const missing = (home: string, module = 'left-pad') =>
  `Exit code 1\nError: Cannot find module '${module}'\n    at ${home}/shop/a.js:12:3`;

const PAGE = { limit: 100, offset: 0, occurrences: 10 };
const shown = (palace: Palace, query: Partial<Parameters<typeof patternsIn>[1]> = {}) =>
  patternsIn(palace, { ...PAGE, ...query }).patterns.map(({ kind, count, occurrences }) => [
    kind,
    count,
    ...occurrences.map(({ source, fix }) => (fix === null ? source : `${source}: ${fix.edits.join(' ')}`)),
  ]);

describe('an error', () => {
  it('recurs in two sessions, whatever the folder and the line, and is fixed by what was changed', async ({
    palace,
  }) => {
    await fileSession(palace, { id: 'a', day: '2026-03-01' }, [
      test(missing('/home/a')),
      edit('package.json'),
      test(),
    ]);
    await fileSession(palace, { id: 'b', day: '2026-03-02', directory: '/code/other' }, [
      test(missing('/Users/b')),
    ]);
    await fileSession(palace, { id: 'c' }, [test(missing('/home/a', 'other'))]);
    expect(shown(palace)).toEqual([['error', 2, 'b', 'a: /code/shop/package.json']]);
    expect(shown(palace, { kind: 'fix' })).toEqual([['fix', 1, 'a: /code/shop/package.json']]);
    expect(shown(palace, { file: 'package.json' })).toHaveLength(1);
    expect(shown(palace, { file: 'other.json' })).toEqual([]);
    expect(shown(palace, { directory: '/code/shop' })).toEqual([]);
    expect(patternsIn(palace, PAGE).patterns[0]?.text).toBe(
      "Cannot find module 'left-pad'\nat <path>a.js:#:#",
    );
  });

  it('is read page by page, and of each session once', async ({ palace }) => {
    const failing = [test(missing('/a')), test(missing('/a', 'other'))];
    for (const id of ['a', 'b', 'c']) await fileSession(palace, { id }, failing);
    await fileSession(palace, { id: 'c', agent: 'helper' }, [test(missing('/a'))]);
    const page = (query: object) => patternsIn(palace, { ...PAGE, ...query });
    expect(page({}).patterns.map(({ count, occurrences }) => [count, occurrences.length])).toEqual([
      [3, 3],
      [3, 3],
    ]);
    expect(page({ limit: 1, offset: 1, occurrences: 2 })).toMatchObject({
      total: 2,
      patterns: [{ count: 3, occurrences: [{ fix: null }, { fix: null }] }],
    });
    expect(page({ limit: 5, offset: 2 })).toEqual({ total: 2, patterns: [] });
  });

  it('does not recur in one session, or with its sub-agent, or without words', async ({ palace }) => {
    await fileSession(palace, { id: 'a' }, [test(missing('/a')), test(missing('/b')), test('Exit code 1')]);
    await fileSession(palace, { id: 'b' }, [test('Exit code 1')]);
    expect(shown(palace)).toEqual([]);
  });

  it('goes with its sessions', async ({ palace }) => {
    for (const id of ['a', 'b']) await fileSession(palace, { id }, [test(missing('/a'))]);
    expect(shown(palace)).toHaveLength(1);
    await fileSession(palace, { id: 'b' }, [test()]);
    expect(shown(palace)).toEqual([]);
  });
});

describe('what was written with a type', () => {
  const entry = async (palace: Palace, id: string, topic: string, text: string) => {
    const builder = new PieceBuilder();
    await builder.add(text);
    const filing = filingOf(`diary:opencode/${id}.md`, [text], { title: `diary: ${topic}` });
    const run = palace.runs.begin({
      command: 'test',
      scope: '',
      narrowed: false,
      versions: {},
      startedMs: 1,
    });
    palace.file({ ...filing, pieces: await builder.finish() }, { id: run, now: '2026-01-02T03:04:05.000Z' });
  };

  it('recurs when entries with the topic say the same', async ({ palace }) => {
    await entry(palace, '1', 'decision', 'Round once, on the total.\n');
    await entry(palace, '2', 'decision', 'round once,  on the total.\n');
    await entry(palace, '3', 'decision', 'Round twice.\n');
    await entry(palace, '4', 'general', 'Round twice.\n');
    expect(shown(palace).map(([kind, count]) => [kind, count])).toEqual([['decision', 2]]);
    expect(shown(palace, { kind: 'preference' })).toEqual([]);
  });

  it('recurs when facts with the predicate have the same object, however many other facts are newer', ({
    palace,
  }) => {
    for (const [id, name] of [
      ['shop', 'Shop'],
      ['blog', 'Blog'],
      ['tabs', 'tabs'],
    ] as const)
      palace.facts.addEntity({ id, name }, '2026-01-01T00:00:00.000Z');
    const fact = { predicate: 'prefers', object_id: 'tabs', valid_from: null, valid_to: null, confidence: 1 };
    const origin = {
      source_key: null,
      source_drawer_id: null,
      source_file: null,
      source_closet: null,
      added_by: 'x',
    };
    for (const subject_id of ['shop', 'blog'])
      palace.facts.add({
        ...fact,
        ...origin,
        subject_id,
        triple_id: subject_id,
        recorded_at: '2026-01-02T00:00:00.000Z',
      });
    palace.transaction(() => {
      for (let index = 0; index < 2_001; index += 1)
        palace.facts.add({
          ...{ ...fact, ...origin, predicate: 'uses', subject_id: 'shop' },
          ...{ triple_id: `newer ${index}`, recorded_at: '2026-01-03T00:00:00.000Z' },
        });
    });
    expect(shown(palace)).toEqual([['preference', 2, expect.any(String), expect.any(String)]]);
  });
});
