import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { Sql } from '../../../src/store/db/sql.js';
import { palaceFile } from '../../../src/store/index.js';
import { countDrawers, countRooms, Listing } from '../../../src/store/tables/listing.js';
import { Priorities } from '../../../src/store/tables/priorities.js';
import { Runs } from '../../../src/store/tables/runs.js';
import { WakeUpRows } from '../../../src/store/tables/wake-up.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const CONVERSATION = { kind: 'conversation', wing: 'wing_talks', directory: '/work/shop' } as const;

function filledPalace() {
  const palace = temporaryPalace();
  fileTexts(palace, 'doc:p/a.md', ['one', 'two'], { room: 'guides', mtimeMs: 1, priority: 'high' });
  fileTexts(palace, 'doc:p/b.md', ['three'], { mtimeMs: 2 });
  fileTexts(palace, 'opencode:s1', ['four'], { ...CONVERSATION, sessionId: 's1', mtimeMs: 3 });
  fileTexts(palace, 'opencode:s2', ['five', 'six'], { ...CONVERSATION, sessionId: 's2', mtimeMs: 4 });
  return palace;
}

describe('a drawer of another palace', () => {
  it('is found by its former id, even if other ids have the same prefix', ({ palace }) => {
    fileTexts(palace, 'mempalace:1/a', ['one', 'two']);
    const filed = palace.sources.byKey('mempalace:1/a');
    if (filed === undefined) throw new Error('not filed');
    const record = { ...filed, place: 'a' };
    palace.sources.put({ source: record, messages: ['a@b@0', 'a@3'], drafts: [] }, { id: 1, now: '' });
    expect(palace.reading.drawerAliased('a', 'mempalace:')?.text).toBe('two');
    expect(palace.reading.drawerAliased('a@b', 'mempalace:')?.text).toBe('one');
    expect(palace.reading.drawerAliased('b', 'mempalace:')).toBeUndefined();
  });
});

describe('listing', () => {
  it('pages sources, the newest first', () => {
    const { listing } = filledPalace();
    const keys = (place: { wing?: string; room?: string }, limit = 9, offset = 0) =>
      listing.sources(place, { limit, offset }).map(({ sourceKey }) => sourceKey);
    expect(keys({})).toEqual(['opencode:s2', 'opencode:s1', 'doc:p/b.md', 'doc:p/a.md']);
    expect(keys({}, 2, 1)).toEqual(['opencode:s1', 'doc:p/b.md']);
    expect(keys({ wing: 'wing_a', room: 'guides' })).toEqual(['doc:p/a.md']);
    expect(listing.countSources({})).toBe(4);
    expect(listing.countSources({ wing: 'wing_a' })).toBe(2);
    expect(listing.sources({ room: 'guides' }, { limit: 1, offset: 0 })).toMatchObject([
      { drawers: 2, day: '2026-01-02', priority: 'high', pinned: 0, kind: 'document' },
    ]);
  });

  it('returns the last run, success and end of each command', ({ palace }) => {
    const run = (command: string, startedMs: number, exitCode?: number) => {
      const id = palace.runs.begin({ command, scope: '', narrowed: false, versions: {}, startedMs });
      if (exitCode !== undefined) palace.runs.end(id, { exitCode, counts: {}, skipped: [] });
    };
    run('feed', 1, 0);
    run('feed', 2, 3);
    run('feed', 3, 1);
    run('other', 4);
    expect(palace.runs.byCommand()).toEqual([
      { command: 'feed', lastMs: 3, lastExitCode: 1, succeededMs: 1, doneMs: 2 },
      { command: 'other', lastMs: 4, lastExitCode: null, succeededMs: null, doneMs: null },
    ]);
    expect(palace.runs.latest(2, { offset: 1 }).map(({ startedMs }) => startedMs)).toEqual([3, 2]);
  });
});

describe('settings of the user', () => {
  it('override found values, and survive filing, moving and --force', () => {
    const palace = filledPalace();
    const source = palace.sources.byKey('doc:p/a.md');
    if (source === undefined) throw new Error('not filed');
    const [first] = palace.reading.drawersById([1]);
    expect(palace.priorities.of('sources', source.id)).toEqual({
      priority: 'high',
      set_priority: null,
      pinned: false,
      set_pinned: false,
    });
    palace.priorities.set('sources', source.id, { priority: 'low' });
    palace.priorities.set('drawers', 1, { priority: 'medium', pinned: true });
    const shown = () => palace.reading.drawersById([1, 2]).map(({ priority, pinned }) => [priority, pinned]);
    const wanted = [
      ['medium', 1],
      ['low', 0],
    ];
    expect(shown()).toEqual(wanted);

    fileTexts(palace, 'doc:p/a.md', ['zero', 'one', 'two'], { room: 'guides', priority: 'high' });
    expect(shown()).toEqual(wanted);
    palace.relocate(source, { ...source, wing: 'wing_b', title: 'New', place: 'x', priority: 'medium' });
    expect(shown()).toEqual(wanted);
    expect(palace.reading.drawersById([1])[0]).toMatchObject({
      drawerId: first?.drawerId,
      wing: 'wing_b',
      title: 'New',
    });
    expect(problemsIn(palace)).toEqual([]);

    palace.priorities.set('sources', source.id, { priority: null });
    palace.priorities.set('drawers', 1, { priority: null, pinned: false });
    expect(shown()).toEqual([
      ['medium', 0],
      ['medium', 0],
    ]);
  });
});

describe('at any size', () => {
  /** The plans of all queries that `work` makes. */
  function plansOf(folder: string, work: (sql: Sql) => void): { query: string; steps: string[] }[] {
    const database = new Database(palaceFile(folder), { readonly: true });
    const plans: { query: string; steps: string[] }[] = [];
    const prepare = database.prepare.bind(database);
    const explained = (query: string) => {
      const statement = prepare(query);
      const explain = (parameters: unknown[]) => {
        const rows = prepare(`EXPLAIN QUERY PLAN ${query}`).all(...parameters);
        plans.push({ query, steps: rows.map((row) => String((row as { detail: string }).detail)) });
      };
      return new Proxy(statement, {
        get: (target, name) =>
          name === 'all' || name === 'get' ? called(target[name].bind(target)) : undefined,
      });
      function called(method: (...parameters: unknown[]) => unknown) {
        return (...parameters: unknown[]) => {
          explain(parameters);
          return method(...parameters);
        };
      }
    };
    Reflect.set(database, 'prepare', explained);
    work(new Sql(database));
    database.close();
    return plans;
  }

  const without = [{ wing: 'cold' }, { wing: 'wing_a', room: 'cold' }];

  it('no query of wake-up, status and list scans the drawers', () => {
    const palace = filledPalace();
    const plans = plansOf(palace.folder, (sql) => {
      const listing = new Listing(sql);
      const page = { limit: 20, offset: 20 };
      countRooms(sql);
      countDrawers(sql);
      for (const place of [{}, { wing: 'wing_a' }, { wing: 'wing_a', room: 'guides' }, { room: 'guides' }]) {
        listing.sources(place, page);
        listing.countSources(place);
      }
      new Runs(sql).latest(5);
      new Runs(sql).byCommand();
      new Priorities(sql).of('drawers', 1);
      const rows = new WakeUpRows(sql);
      for (const place of [{}, { without }, { wing: 'wing_a' }, { wing: 'wing_talks', without }]) {
        rows.importantDrawers(place, 50);
        rows.importantSources(place, 50);
        rows.recentSessions(place, 50);
      }
    });
    expect(plans.length).toBeGreaterThan(20);
    const walks = plans.filter(({ steps }) =>
      steps.some((step) => /^SCAN (?:d|drawers)\b(?!.*drawers_pinned)/.test(step)),
    );
    expect(walks).toEqual([]);
    const steps = plans.flatMap((plan) => plan.steps);
    expect(steps).toContain('SCAN d USING INDEX drawers_pinned');
    // The stored counts come from an index alone.
    const counts = plans
      .filter(({ query }) => query.includes('GROUP BY wing, room'))
      .flatMap((plan) => plan.steps);
    expect(counts).toContain('SCAN sources USING COVERING INDEX sources_by_place');
    expect(counts.filter((step) => /^SCAN sources(?! USING COVERING)/.test(step))).toEqual([]);
  });
});
