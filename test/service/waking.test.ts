import { describe, expect, it } from 'vitest';
import { wakeUp } from '../../src/service/sqlite/waking.js';
import { drawerIds } from '../support/drawers.js';
import { temporaryPalace } from '../support/palace.js';
import { type Done, fileSession } from '../support/worked-sessions.js';

const ASKED = { without: [], tokens: 900, weights: { recency: 1, importance: 1 }, halfLifeDays: 30 };
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

describe('errors that recur', () => {
  it('are told in their folder: three, those with a fix first, with a drawer as proof', async () => {
    const palace = await worked();
    const { text, errors } = wakeUp(palace, { ...ASKED, folder: '/code/shop/src' });
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
    const other = wakeUp(palace, { ...ASKED, folder: '/code/other' });
    expect(other.errors.map(({ message }) => message)).toEqual(["Cannot find module 'elsewhere'"]);
    expect(wakeUp(palace, ASKED).errors).toEqual([]);
  });

  it('are not told if the user wants none, or nothing is left of the budget for them', async () => {
    const palace = await worked();
    const folder = '/code/shop';
    expect(wakeUp(palace, { ...ASKED, folder, patterns: false }).text).not.toContain('errors that recur');
    const small = wakeUp(palace, { ...ASKED, folder, tokens: 60 });
    expect(small.errors).toEqual([]);
    expect(small.tokens).toBeLessThanOrEqual(60);
  });
});
