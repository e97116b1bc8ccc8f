import { describe, expect, it } from 'vitest';
import { conditionOf, type DrawerFilter, EVERYTHING } from '../../../src/store/index/filter.js';
import type { Palace } from '../../../src/store/index.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';

function filled(): Palace {
  const palace = temporaryPalace();
  fileTexts(palace, 'doc:p/plain.md', ['plain']);
  fileTexts(palace, 'doc:p/card.md', ['---\ntype: Principle card\n---\n', 'card'], { priority: 'high' });
  fileTexts(palace, 'mempalace:1/old.md', ['imported']);
  fileTexts(palace, 'claude-code:ses_1', ['talk'], { kind: 'conversation', priority: 'low' });
  fileTexts(palace, 'diary:pi/1.md', ['entry']);
  fileTexts(palace, 'drawer:1/drawer.md', ['---\ntype: diary\n---\nwritten']);
  return palace;
}

function textsOf(palace: Palace, filter: DrawerFilter): string[] {
  const { ids } = palace.reading.select(conditionOf(filter));
  return palace.reading
    .drawersById(ids)
    .map(({ text }) => text.split('\n').at(-1) ?? '')
    .filter((text) => text !== '');
}

describe('a filter of drawers', () => {
  it.each([
    ['document', ['plain', 'card', 'imported']],
    ['conversation', ['talk']],
    // What declares to be one is one, too.
    ['diary', ['entry', 'written']],
    ['drawer', ['written']],
    ['checkpoint', []],
    ['Principle_Card', ['card']],
    ["' OR TRUE --", []],
  ])('by the type %s', (type, texts) => {
    expect(textsOf(filled(), { type })).toEqual(texts);
  });

  it('by priority: of the drawer, else of its source, else medium', () => {
    const palace = filled();
    expect(textsOf(palace, { priority: 'high' })).toEqual(['card']);
    expect(textsOf(palace, { priority: 'low', type: 'conversation' })).toEqual(['talk']);
    expect(textsOf(palace, { priority: 'medium' })).toEqual(['plain', 'imported', 'entry', 'written']);
    const [card] = palace.reading.select(conditionOf({ type: 'principle-card' })).ids.slice(-1);
    palace.priorities.set('drawers', card ?? 0, { priority: 'low' });
    expect(textsOf(palace, { priority: 'high' })).toEqual([]);
    expect(textsOf(palace, { priority: 'low' })).toEqual(['card', 'talk']);
    palace.priorities.set('drawers', card ?? 0, { priority: null, pinned: true });
    expect(textsOf(palace, { priority: 'high' })).toEqual(['card']);
  });

  it('by days, the first and the last included', () => {
    const palace = temporaryPalace();
    for (const day of ['2026-01-01', '2026-01-02', '2026-01-03'])
      fileTexts(palace, `doc:p/${day}`, [day], {}, day);
    expect(textsOf(palace, { since: '2026-01-02' })).toEqual(['2026-01-02', '2026-01-03']);
    expect(textsOf(palace, { until: '2026-01-02' })).toEqual(['2026-01-01', '2026-01-02']);
  });

  it('counts sources by the same types and priorities', () => {
    const { listing } = filled();
    const keys = (filter: Parameters<typeof listing.sources>[0]) => [
      listing.sources(filter, { limit: 9, offset: 0 }).map(({ sourceKey }) => sourceKey),
      listing.countSources(filter),
    ];
    expect(keys({ type: 'principle card' })).toEqual([['doc:p/card.md'], 1]);
    expect(keys({ priority: 'low' })).toEqual([['claude-code:ses_1'], 1]);
    expect(keys({ priority: 'low', type: 'document' })).toEqual([[], 0]);
    expect(listing.declaredTypes()).toEqual(['diary', 'principle-card']);
  });

  it('is the same object when it allows everything', () => {
    expect(conditionOf({ type: undefined, priority: undefined })).toBe(EVERYTHING);
  });
});
