import { describe, expect } from 'vitest';
import { timelineOf } from '../../src/reading/index.js';
import type { Palace } from '../../src/store/index.js';
import { drawerIds } from '../support/drawers.js';
import { it } from '../support/it.js';
import { fileTexts, filingOf, hashOf, vectorOf } from '../support/palace.js';

/** Files texts, each with or without a date. */
function fileDated(palace: Palace, key: string, texts: [string, string | null][], changes = {}): void {
  const words = texts.map(([text]) => text);
  palace.vectors.keep(
    words.map((text) => ({ hash: hashOf(text), embedding: vectorOf(text) })),
    palace.model,
  );
  const filing = filingOf(key, words, changes);
  const id = palace.runs.begin({ command: 'test', scope: '', narrowed: false, versions: {}, startedMs: 1 });
  const drafts = filing.drafts.map((draft, index) => ({ ...draft, contentDate: texts[index]?.[1] ?? null }));
  palace.file({ ...filing, drafts }, { id, now: '2026-01-02T03:04:05.000Z' });
}

const DAY = '2026-03-05';

describe('a timeline', () => {
  it('contains the neighbours, and other sources of the day', ({ palace }) => {
    fileDated(palace, 'doc:1/own.md', [
      ['a', '2026-03-04'],
      ['b', DAY],
      ['c', DAY],
    ]);
    fileDated(palace, 'doc:1/partly.md', [
      ['p0', '2026-03-04'],
      ['p1', DAY],
      ['p2', DAY],
    ]);
    fileDated(palace, 'opencode:s', [['s0', DAY]], { kind: 'conversation', title: 'Talk', wing: 'wing_c' });
    const noon = Date.parse(`${DAY}T12:00:00Z`);
    fileDated(palace, 'doc:1/undated.md', [['u0', null]], { mtimeMs: noon });
    fileDated(palace, 'doc:1/mixed.md', [['m0', '2020-01-01']], { mtimeMs: noon });
    fileDated(palace, 'doc:1/before.md', [['x', null]], { mtimeMs: Date.parse(`${DAY}T00:00:00`) - 1 });
    fileDated(palace, 'doc:1/after.md', [['y', null]], { mtimeMs: Date.parse('2026-03-06T00:00:00') });
    const idOf = (key: string, index: number) =>
      drawerIds(palace, palace.sources.byKey(key)?.id ?? 0)[index] ?? '';

    const timeline = timelineOf(palace, idOf('doc:1/own.md', 1), { radius: 1, sources: 10 });
    expect(timeline.day).toBe(DAY);
    expect(timeline.drawer.text).toBe('b');
    expect(timeline.passage.map(({ text }) => text)).toEqual(['a', 'b', 'c']);
    expect(
      timeline.sameDay.map(({ sourceKey, drawersOfDay, firstDrawerId }) => [
        sourceKey,
        drawersOfDay,
        firstDrawerId,
      ]),
    ).toEqual([
      ['opencode:s', 1, idOf('opencode:s', 0)],
      ['doc:1/partly.md', 2, idOf('doc:1/partly.md', 1)],
      ['doc:1/undated.md', 1, idOf('doc:1/undated.md', 0)],
    ]);
    expect(timeline.sameDayTotal).toBe(3);

    const short = timelineOf(palace, idOf('doc:1/undated.md', 0), { radius: 0, sources: 1 });
    expect(short).toMatchObject({ day: DAY, sameDayTotal: 3, previous: null, next: null });
    expect(short.sameDay.map(({ sourceKey }) => sourceKey)).toEqual(['opencode:s']);
  });

  it('of a day with nothing else is empty', ({ palace }) => {
    fileTexts(palace, 'doc:1/a.md', ['alone']);
    const [id = ''] = drawerIds(palace, 1);
    expect(timelineOf(palace, id, { radius: 3, sources: 5 })).toMatchObject({ sameDay: [], sameDayTotal: 0 });
  });
});
