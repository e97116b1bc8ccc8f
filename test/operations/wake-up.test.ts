import { describe, expect, it } from 'vitest';
import { wakeUp } from '../../src/operations/wake-up/told.js';
import { drawerIds } from '../support/drawers.js';
import { temporaryPalace } from '../support/palace.js';
import { type Done, fileSession } from '../support/worked-sessions.js';

const ASKED = {
  ...{ without: [], tokens: 900, weights: { recency: 1, importance: 1 }, half_life_days: 30 },
  patterns: true,
};
const test = (failure?: string, command = 'npm test'): Done => ['Bash', { command }, failure];
const missing = (module: string) => `Exit code 1\nError: Cannot find module '${module}'`;
const edit: Done = ['Edit', { file_path: '/code/shop/package.json', old_string: 'a', new_string: 'b' }];

/** A palace with sessions in two folders. */
async function worked() {
  const palace = temporaryPalace();
  palace.projects.put({ id: 'p', root: '/code/shop', rootCommit: null, folder: 'shop' }, 'wing_shop');
  const failing = ['one', 'two', 'three'].map((module) => test(missing(module)));
  for (const id of ['a', 'b', 'c']) await fileSession(palace, { id }, failing);
  for (const id of ['d', 'e']) await fileSession(palace, { id }, [test(missing('fixed')), edit, test()]);
  await fileSession(palace, { id: 'once' }, [test(missing('once'))]);
  for (const id of ['x', 'y'])
    await fileSession(palace, { id, directory: '/code/other' }, [test(missing('elsewhere'))]);
  return palace;
}

const around = (folder: string) => ({ folders: [folder], locations: [{ folder }], checkouts: [] });

describe('errors that recur', () => {
  it('are told in their folder: three, those with a fix first, with a drawer as proof', async () => {
    const palace = await worked();
    const { text, errors } = wakeUp(palace, { ...ASKED, around: around('/code/shop/src') });
    const rows = text.split('\n').filter((line) => line.includes('Cannot find module'));
    expect(rows).toHaveLength(3);
    expect(text).toContain('\n## errors that recur\n');
    expect(rows[0]).toMatch(
      /^│ - shell npm test: Cannot find module 'fixed' \(2 sessions, succeeded after changing package\.json\) drawer_[0-9a-f]{12}$/,
    );
    expect(rows[1]).toMatch(/ \(3 sessions\) drawer_[0-9a-f]{12}$/);
    const sessions = [1, 2, 3, 4, 5].flatMap((source) => drawerIds(palace, source));
    for (const { drawerId } of errors) expect(sessions).toContain(drawerId);
    expect(text).not.toMatch(/module '(?:once|elsewhere)'/);
    // The wing of a project is told those of its folder.
    expect(wakeUp(palace, { ...ASKED, wing: 'wing_shop' }).errors).toEqual(errors);
    const other = wakeUp(palace, { ...ASKED, around: around('/code/other') });
    expect(other.errors.map(({ message }) => message)).toEqual(["Cannot find module 'elsewhere'"]);
    expect(wakeUp(palace, ASKED).errors).toEqual([]);
  });

  it('are not told if the user wants none, or nothing is left of the budget for them', async () => {
    const palace = await worked();
    const here = { ...ASKED, around: around('/code/shop') };
    expect(wakeUp(palace, { ...here, patterns: false }).text).not.toContain('errors that recur');
    const small = wakeUp(palace, { ...here, tokens: 60 });
    expect(small.errors).toEqual([]);
    expect(small.tokens).toBeLessThanOrEqual(60);
  });
});

describe('a session in a folder of no filed project', () => {
  const titles = (told: { sessions: { title: string; directory: string | null }[] }) =>
    told.sessions.map(({ directory }) => directory).sort();

  /** Sessions in folders of two projects, one of them filed, and below a folder of nothing. */
  async function elsewhere() {
    const palace = temporaryPalace();
    palace.projects.put({ id: 'p', root: '/code/shop', rootCommit: null, folder: 'shop' }, 'wing_shop');
    const all = ['/code/shop', '/code/zk', '/code/zk/docs', '/code/zk-old', '/code'];
    for (const [index, directory] of all.entries())
      await fileSession(palace, { id: `s${index}`, directory }, [test()]);
    return palace;
  }

  it('is told of the sessions of that folder, and nothing of others but how much there is', async () => {
    const palace = await elsewhere();
    const zk = wakeUp(palace, { ...ASKED, around: around('/code/zk') });
    expect(titles(zk)).toEqual(['/code/zk']);
    expect(zk).toMatchObject({ holdings: [], elsewhere: { projects: 1, sources: 5 } });
    expect(zk.wing).toBeUndefined();
    expect(zk.text).not.toMatch(/shop|zk-old|wing_shop/);
    // In a checkout of git, those in all of it.
    const checkout = { ...around('/code/zk/docs'), checkouts: ['/code/zk'] };
    expect(titles(wakeUp(palace, { ...ASKED, around: checkout }))).toEqual(['/code/zk', '/code/zk/docs']);
    // A folder of projects is none of them.
    expect(titles(wakeUp(palace, { ...ASKED, around: around('/code') }))).toEqual(['/code']);
    for (const place of [around('/code/new'), around('/'), { folders: [], locations: [], checkouts: [] }]) {
      const { text, sessions, important, diary, errors } = wakeUp(palace, { ...ASKED, around: place });
      expect([sessions, important, diary, errors]).toEqual([[], [], [], []]);
      expect(text.trimEnd().split('\n').slice(1)).toEqual([
        '',
        '## in this palace',
        expect.stringMatching(
          /^│ \d+ drawers from 5 sources of 1 project and sessions; a search finds them$/,
        ),
      ]);
    }
    expect(wakeUp(palace, ASKED).sessions).toHaveLength(5);
    expect(titles(wakeUp(palace, { ...ASKED, around: around('/code/shop/src') }))).toEqual(['/code/shop']);
  });

  it('is told what the user pinned and who he is, and no priority of another folder', async () => {
    const palace = await elsewhere();
    const asked = { ...ASKED, around: around('/code/new'), identity: { file: '', text: 'I keep zebras.' } };
    palace.priorities.set('sources', 1, { priority: 'high' });
    expect(wakeUp(palace, asked)).toMatchObject({ identity: 'I keep zebras.', important: [] });
    palace.priorities.set('sources', 1, { pinned: true });
    expect(wakeUp(palace, asked).important).toMatchObject([{ directory: '/code/shop', pinned: true }]);
    palace.priorities.set('sources', 2, { priority: 'high' });
    expect(wakeUp(palace, { ...ASKED, around: around('/code/zk') }).important).toMatchObject([
      { directory: '/code/shop' },
      { directory: '/code/zk' },
    ]);
  });
});
