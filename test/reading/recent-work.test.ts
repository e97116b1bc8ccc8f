import { describe, expect } from 'vitest';
import { recentWork } from '../../src/reading/index.js';
import { it } from '../support/it.js';
import { fileSession } from '../support/worked-sessions.js';

const PAGE = { limit: 10, offset: 0 };
const edit = (file_path: string) => ['Edit', { file_path, old_string: 'a', new_string: 'b' }] as const;
const bash = (command: string, output: string, failure?: string) =>
  ['Bash', { command }, failure, output] as const;
const todos = (...items: [content: string, status: string][]) =>
  ['TodoWrite', { todos: items.map(([content, status]) => ({ content, status })) }] as const;

describe('recent work', () => {
  it('is what sessions changed, committed and left open, newest first, each in its own order', async ({
    palace,
  }) => {
    await fileSession(palace, { id: 'old', day: '2026-02-01' }, [edit('/code/shop/a.ts')]);
    await fileSession(palace, { id: 'one', day: '2026-03-03' }, [
      ['Read', { file_path: '/code/shop/read.ts' }],
      ...Array.from({ length: 9 }, (_, index) => edit(`/code/shop/${index}.ts`)),
      edit('/elsewhere/a.ts'),
    ]);
    await fileSession(palace, { id: 'two' }, [
      todos(['Round once', 'in_progress'], ['Test it', 'pending']),
      edit('/code/shop/cart.ts'),
      bash('git commit -qm x', '', 'nothing to commit'),
      bash(
        'git add -A && git commit -m "Round once"',
        '[main (root-commit) 1a2b3c4] Round once\n 1 file changed',
      ),
      bash('git commit --amend --no-edit', '[main 2b3c4d5] Round once'),
      // Nobody committed: a file says so.
      bash('cat notes.txt', '[main 9999999] Not a commit'),
      todos(['Round once', 'completed'], ['Test it', 'pending'], ['Later', 'cancelled']),
      ['TodoWrite', { todos: [] }, 'not now'],
    ]);
    // As an array it would have four thousand million places.
    const far = { 4000000000: { content: 'Far', status: 'pending' } };
    await fileSession(palace, { id: 'far', day: '2026-03-02' }, [['TodoWrite', { todos: far }]]);
    await fileSession(palace, { id: 'two', agent: 'helper' }, [edit('/code/shop/b.ts')]);
    const { sessions, total } = recentWork(palace, { since: '2026-03-01' }, PAGE);
    expect(total).toBe(3);
    const [two, one, last] = sessions;
    expect(last?.open).toEqual(['Far']);
    expect(two).toMatchObject({
      sessionId: 'two',
      day: '2026-03-04',
      files: [{ path: 'cart.ts', action: 'edited' }],
      filesTotal: 1,
      commits: [{ hash: '2b3c4d5', subject: 'Round once' }],
      open: ['Test it'],
    });
    expect(one).toMatchObject({ sessionId: 'one', filesTotal: 10, commits: [], open: [] });
    expect(one?.files.map(({ path }) => path)).toEqual([0, 1, 2, 3, 4, 5, 6, 7].map((name) => `${name}.ts`));
    expect(recentWork(palace, { since: '2026-03-01', wing: 'wing_none' }, PAGE)).toEqual({
      sessions: [],
      total: 0,
    });
    expect(recentWork(palace, { since: '2026-01-01' }, { limit: 1, offset: 3 }).sessions).toMatchObject([
      { sessionId: 'old' },
    ]);
  });
});
