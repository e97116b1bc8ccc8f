import { describe, expect, it } from 'vitest';
import type { UsedSource } from '../../src/store/index.js';
import { type Limits, propose, type Used } from '../../src/suggestions/propose.js';

let next = 1;
const source = (path: string, changes: Partial<UsedSource> = {}): UsedSource => ({
  id: next++,
  source_key: `doc:p/${path}`,
  kind: 'document',
  wing: 'wing_palace',
  room: path.includes('/') ? (path.split('/')[0] ?? '') : 'general',
  title: path,
  project_id: 'p',
  day: '2025-01-01',
  pinned: 0,
  valued: 0,
  fixed: 0,
  ...changes,
});
const LIMITS: Limits = { leastUses: 5, oldBefore: '2026-01-01', observed: true, cold: [] };
const used = (all: [UsedSource, Partial<Used>][]) =>
  new Map(
    all.map(([{ id }, uses]) => [id, { drawer_id: `drawer_${id}`, found: 0, opened: 0, days: 3, ...uses }]),
  );
const steps = (
  sources: UsedSource[],
  uses: [UsedSource, Partial<Used>][] = [],
  limits: Partial<Limits> = {},
) =>
  propose(sources, used(uses), { ...LIMITS, ...limits }).map(({ step, output, source_key, room }) => [
    step,
    output ?? source_key ?? room,
  ]);

describe('what is often used', () => {
  it('is worth a reflection, as what it is by its kind', () => {
    const [card, path, failure] = [
      source('project_rooms/a.md'),
      source('b', { source_key: 'session:o:1', kind: 'conversation' }),
      source('c', { source_key: 'session:o:2', kind: 'conversation', fixed: 1 }),
    ];
    expect(
      steps(
        [card, path, failure],
        [
          [card, { found: 9 }],
          [path, { opened: 5 }],
          [failure, { found: 6 }],
        ],
      ),
    ).toEqual([
      ['reflect', 'principle-card'],
      ['reflect', 'failure-pattern'],
      ['reflect', 'thinking-path'],
    ]);
  });

  it.each([{ found: 4 }, { found: 2, opened: 2 }, { found: 50, days: 1 }])('is not: %j', (uses) => {
    const one = source('project_rooms/a.md');
    expect(steps([one], [[one, uses]])).toEqual([]);
  });

  it('is proposed once: not when its document is written', () => {
    const one = source('project_rooms/a.md');
    const [proposal] = propose([one], used([[one, { found: 5 }]]), LIMITS);
    const digits = proposal?.id.slice('reflect-'.length);
    expect(digits).toMatch(/^[0-9a-f]{8}$/);
    expect(steps([one, source(`reflection_wing/a-${digits}.md`)], [[one, { found: 5 }]])).toEqual([]);
  });

  it('in the reflection wing may be told first, unless it is', () => {
    const [card, pinned, readme] = [
      source('reflection_wing/card.md'),
      source('reflection_wing/told.md', { pinned: 1, valued: 1 }),
      source('reflection_wing/README.md'),
    ];
    const uses: [UsedSource, Partial<Used>][] = [card, pinned, readme].map((each) => [each, { found: 9 }]);
    expect(steps([card, pinned, readme], uses)).toEqual([['constitution', 'doc:p/reflection_wing/card.md']]);
  });
});

describe('what is old and never used', () => {
  const archive = source('archive_basement/README.md');
  const old = source('project_rooms/a.md');
  const recent = source('project_rooms/b.md', { day: '2026-02-01' });

  it('belongs into the archive of its palace of files', () => {
    expect(steps([archive, old, recent])).toEqual([['archive', 'doc:p/project_rooms/a.md']]);
    expect(steps([old, recent])).toEqual([]);
    expect(steps([archive, old, recent], [], { observed: false })).toEqual([]);
    expect(steps([archive, old, recent], [[old, { found: 1, days: 1 }]])).toEqual([]);
    expect(steps([archive, { ...old, valued: 1 }, recent])).toEqual([]);
    expect(steps([archive, source('grand_hall/a.md'), source('archive_basement/b.md')])).toEqual([]);
  });

  it('makes its room cold, if everything in it is like that', () => {
    const other = source('notes/a.md', { project_id: 'q', wing: 'wing_q' });
    const both = [other, source('notes/b.md', { project_id: 'q', wing: 'wing_q' })];
    expect(steps(both)).toEqual([['cold', 'notes']]);
    expect(steps([...both, source('notes/c.md', { wing: 'wing_q', day: '2026-03-01' })])).toEqual([]);
    expect(steps(both, [[other, { found: 1 }]])).toEqual([]);
    expect(steps(both, [], { cold: ['wing_q'] })).toEqual([]);
    expect(steps(both, [], { cold: ['wing_q/notes'] })).toEqual([]);
    expect(steps([source('x', { wing: 'w', room: 'a/b' })])).toEqual([]);
  });
});
