import Database from 'better-sqlite3';
import { describe, expect } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import { findDrawer, findTarget, placeOf } from '../../src/reading/index.js';
import { palaceFile } from '../../src/store/index.js';
import { drawerIds } from '../support/drawers.js';
import { it } from '../support/it.js';
import { fileTexts } from '../support/palace.js';

function failure(work: () => unknown): UserError {
  try {
    work();
  } catch (error) {
    if (error instanceof UserError) return error;
  }
  throw new Error('nothing was refused');
}

describe('finding a drawer', () => {
  it('accepts an id or a unique prefix', ({ palace }) => {
    fileTexts(palace, 'doc:1/a.md', ['one ', 'two ']);
    const [id = ''] = drawerIds(palace, palace.sources.byKey('doc:1/a.md')?.id ?? 0);
    expect(findDrawer(palace, id)).toMatchObject({ drawerId: id, text: 'one ' });
    expect(findDrawer(palace, id.slice(0, 15)).drawerId).toBe(id);
    expect(findTarget(palace, ` ${id} `)).toMatchObject({ kind: 'drawer' });
  });

  it('refuses short, unknown and invalid ids', ({ palace }) => {
    expect(failure(() => findDrawer(palace, 'drawer_12ab'))).toMatchObject({ code: 'usage' });
    expect(failure(() => findDrawer(palace, 'notes.md'))).toMatchObject({ code: 'usage' });
    expect(failure(() => findDrawer(palace, "drawer_%' OR 1"))).toMatchObject({ code: 'usage' });
    expect(failure(() => findDrawer(palace, 'drawer_0123456789'))).toMatchObject({
      code: 'not-found',
      hint: expect.stringContaining('mempalace search'),
    });
  });

  it('lists the candidates of an ambiguous prefix', ({ palace }) => {
    fileTexts(palace, 'doc:1/a.md', ['one', 'two']);
    // Two hashes with an equal prefix cannot be generated here.
    const database = new Database(palaceFile(palace.folder));
    database.exec("UPDATE drawers SET drawer_id = 'drawer_0123456789' || text");
    database.close();
    expect(failure(() => findDrawer(palace, 'drawer_0123456789'))).toMatchObject({
      code: 'usage',
      hint: 'one of drawer_0123456789one, drawer_0123456789two',
    });
  });
});

describe('finding a source', () => {
  it('accepts a key, session id, source_file, origin, or the end of a source_file', ({ palace }) => {
    fileTexts(palace, 'opencode:ses_1', ['said'], {
      kind: 'conversation',
      sessionId: 'ses_1',
      sourceFile: 'mempalace-session/wing_conversations/talk_ses_1.jsonl',
      origin: 'opencode://ses_1',
    });
    for (const [key, sourceFile] of [
      ['doc:1/docs/a.md', 'mempalace-docs/wing_a/p/docs/a.md'],
      ['doc:2/a.md', 'mempalace-docs/wing_b/q/a.md'],
      ['doc:2/b.md', 'mempalace-docs/wing_b/q/b.md'],
    ] as const) {
      fileTexts(palace, key, ['text'], { sourceFile, origin: `/o/${key}` });
    }
    const keyOf = (name: string, ...paths: string[]) => {
      const target = findTarget(palace, name, paths);
      return target.kind === 'source' ? target.source.sourceKey : 'a drawer';
    };
    for (const name of ['opencode:ses_1', 'ses_1', 'opencode://ses_1', 'talk_ses_1.jsonl'])
      expect(keyOf(name)).toBe('opencode:ses_1');
    expect(keyOf('docs/a.md')).toBe('doc:1/docs/a.md');
    expect(keyOf('./b.md')).toBe('doc:2/b.md');
    expect(keyOf('a.md', '/o/doc:2/a.md')).toBe('doc:2/a.md');
    expect(failure(() => keyOf('a.md'))).toMatchObject({
      code: 'usage',
      hint: 'one of mempalace-docs/wing_a/p/docs/a.md, mempalace-docs/wing_b/q/a.md',
    });
    for (const name of ['.md', '', '%', 'ses_2'])
      expect(
        failure(() => keyOf(name)),
        name,
      ).toMatchObject({ code: 'not-found' });
  });
});

describe('the position of a drawer', () => {
  it('has its neighbours', ({ palace }) => {
    fileTexts(palace, 'doc:1/a.md', ['0', '1', '2', '3', '4']);
    fileTexts(palace, 'doc:1/b.md', ['other']);
    const ids = drawerIds(palace, palace.sources.byKey('doc:1/a.md')?.id ?? 0);
    const at = (index: number, radius: number) => {
      const place = placeOf(palace, findDrawer(palace, ids[index] ?? ''), radius);
      return [place.previous, place.passage.map(({ text }) => text).join(''), place.next, place.count];
    };
    expect(at(0, 0)).toEqual([null, '0', ids[1], 5]);
    expect(at(2, 1)).toEqual([ids[0], '123', ids[4], 5]);
    expect(at(4, 9)).toEqual([null, '01234', null, 5]);
  });
});
