import { describe, expect } from 'vitest';
import { deriveActivity } from '../../../src/miner/derive-activity.js';
import { sourcesByFile } from '../../../src/reading/index.js';
import { conditionOf, Palace } from '../../../src/store/index.js';
import { earlierPalaces } from '../../support/earlier-palaces.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryFolder, temporaryPalace } from '../../support/palace.js';
import { fileSession } from '../../support/worked-sessions.js';

const PAGE = { limit: 100, offset: 0 };

/** `session: action path`, newest first. */
function usesOf(palace: Palace, file: string): string[] {
  return sourcesByFile(palace, file, PAGE).sources.flatMap(({ source, uses }) =>
    uses.map(({ action, path, former }) =>
      [
        `${source.sessionId ?? source.sourceKey}:`,
        action,
        ...(former === null ? [] : [former, '→']),
        path,
      ].join(' '),
    ),
  );
}

const read = (file_path: string) => ['Read', { file_path }] as const;
const edit = (file_path: string) => ['Edit', { file_path, old_string: 'a', new_string: 'b' }] as const;

describe('the history of a file', () => {
  it('is found by the end of its path, newest first, with its drawers', async ({ palace }) => {
    await fileSession(palace, { id: 'a', day: '2026-03-01' }, [read('/code/shop/src/auth.ts')]);
    await fileSession(palace, { id: 'b', day: '2026-03-03' }, [edit('src/auth.ts'), read('src/oauth.ts')]);
    await fileSession(palace, { id: 'c', day: '2026-03-02', directory: '/code/other' }, [
      read('lib/auth.ts'),
    ]);
    expect(usesOf(palace, 'src/auth.ts')).toEqual(['b: edited src/auth.ts', 'a: read src/auth.ts']);
    expect(usesOf(palace, './auth.ts')).toEqual([
      'b: edited src/auth.ts',
      'c: read lib/auth.ts',
      'a: read src/auth.ts',
    ]);
    expect(usesOf(palace, 'uth.ts')).toEqual([]);
    const [first] = sourcesByFile(palace, 'src/auth.ts', PAGE).sources;
    const [drawer] = palace.reading.drawersByPrefix(first?.uses[0]?.drawer_id ?? '', 1);
    expect(drawer?.text).toMatch(/^\[tool Edit\] src\/auth\.ts\n/);
    expect(sourcesByFile(palace, 'auth.ts', { limit: 1, offset: 1 })).toMatchObject({
      total: 3,
      sources: [{ source: { sessionId: 'c' }, day: '2026-03-02' }],
      paths: ['/code/other/lib/auth.ts', '/code/shop/src/auth.ts'],
    });
  });

  it('is found by an absolute path, in other checkouts of the project too', async ({ palace }) => {
    palace.projects.put({ id: 'shop', root: '/code/shop', rootCommit: null, folder: 'shop' }, 'wing_a');
    await fileSession(palace, { id: 'a' }, [read('src/auth.ts')]);
    await fileSession(palace, { id: 'b', directory: '/tmp/worktree', day: '2026-03-05' }, [
      edit('src/auth.ts'),
    ]);
    await fileSession(palace, { id: 'c' }, [read('/code/shop/lib/src/auth.ts')]);
    expect(usesOf(palace, '/code/shop/src/auth.ts')).toEqual([
      'b: edited src/auth.ts',
      'a: read src/auth.ts',
    ]);
    expect(usesOf(palace, '/code/shop/src/none.ts')).toEqual([]);
  });

  it('follows renames back', async ({ palace }) => {
    await fileSession(palace, { id: 'a', day: '2026-03-01' }, [edit('one.ts')]);
    await fileSession(palace, { id: 'b', day: '2026-03-02' }, [
      ['exec_command', { cmd: 'git mv one.ts two.ts' }],
      ['exec_command', { cmd: 'git mv two.ts three.ts' }],
      ['exec_command', { cmd: 'git mv three.ts one.ts' }],
    ]);
    await fileSession(palace, { id: 'c', day: '2026-03-03' }, [read('three.ts')]);
    expect(usesOf(palace, 'three.ts')).toEqual([
      'c: read three.ts',
      'b: renamed three.ts → one.ts',
      'b: renamed two.ts → three.ts',
      'b: renamed one.ts → two.ts',
      'a: edited one.ts',
    ]);
  });

  it('contains documents that are the file, and words about it, but not those of tools', async ({
    palace,
  }) => {
    fileTexts(palace, 'docs/guide.md', ['# Guide\n', 'more\n']);
    fileTexts(palace, 'notes.md', ['See docs/guide.md for more.\n', 'docs guide md\n']);
    await fileSession(palace, { id: 'a', asked: 'What does docs/guide.md say?' }, [
      ['Bash', { command: 'grep -r x docs/guide.md' }],
    ]);
    expect(usesOf(palace, 'docs/guide.md').sort()).toEqual([
      'a: mentioned docs/guide.md',
      'docs/guide.md: filed docs/guide.md',
      'notes.md: mentioned docs/guide.md',
    ]);
  });

  it('goes with a session that is filed again, removed, or forgotten', async ({ palace }) => {
    await fileSession(palace, { id: 'a' }, [edit('one.ts')]);
    await fileSession(palace, { id: 'a' }, [edit('one.ts'), edit('two.ts'), edit('two.ts')]);
    expect(usesOf(palace, 'one.ts')).toEqual(['a: edited one.ts']);
    await fileSession(palace, { id: 'a' }, [edit('two.ts')]);
    expect(usesOf(palace, 'one.ts')).toEqual([]);
    const source = palace.sources.byKey('session:o:a');
    palace.removeAll(source === undefined ? [] : [source]);
    expect(usesOf(palace, 'two.ts')).toEqual([]);
  });
});

describe('a search by file', () => {
  it('allows sessions that touched it and the document that it is', async ({ palace }) => {
    fileTexts(palace, 'docs/guide.md', ['# Guide\n']);
    fileTexts(palace, 'notes.md', ['See docs/guide.md.\n']);
    await fileSession(palace, { id: 'a' }, [read('docs/guide.md')]);
    await fileSession(palace, { id: 'b' }, [read('other/docs/guide.md'), edit('src/a.ts')]);
    await fileSession(palace, { id: 'c' }, [read('src/guide.md')]);
    const allowed = (file: string) => {
      const { ids } = palace.reading.select(conditionOf({ file }));
      return [...new Set(palace.reading.drawersById(ids).map(({ sourceKey }) => sourceKey))].sort();
    };
    expect(allowed('docs/guide.md')).toEqual(['docs/guide.md', 'session:o:a', 'session:o:b']);
    expect(allowed('/code/shop/docs/guide.md')).toEqual(['session:o:a']);
    expect(allowed('/p/docs/guide.md')).toEqual(['docs/guide.md']);
    expect(allowed('none.md')).toEqual([]);
  });
});

describe('what sessions did is derived from their text', () => {
  const DONE = [
    edit('a.ts'),
    ['Bash', { command: 'npm test' }, 'Exit code 1\nError: no such module'],
    edit('b.ts'),
    ['Bash', { command: 'npm test' }],
  ] as const;
  const rowsOf = (palace: Palace) => [
    usesOf(palace, 'a.ts'),
    usesOf(palace, 'b.ts'),
    ...palace.activity.recurring(1, {}).map(({ signature }) => palace.activity.failures(signature, {}, 10)),
  ];

  it('at the next run, to the same as when it is filed', async () => {
    const [filed, later] = [temporaryPalace(), temporaryPalace()];
    await fileSession(filed, { id: 'a' }, DONE);
    await fileSession(later, { id: 'a', underived: true }, DONE);
    expect(rowsOf(later)).toEqual([[], []]);
    expect(later.activity.countUnderived()).toBe(1);
    await deriveActivity({ palace: later });
    expect(later.activity.countUnderived()).toBe(0);
    expect(rowsOf(later)).toEqual(rowsOf(filed));
    later.activity.clearAll();
    expect(rowsOf(later)).toEqual([[], []]);
    await deriveActivity({ palace: later });
    expect(rowsOf(later)).toEqual(rowsOf(filed));
  });

  it('as far as the time allows, the rest later', async ({ palace }) => {
    for (const id of ['a', 'b', 'c']) await fileSession(palace, { id, underived: true }, DONE);
    for (const left of [2, 1, 0]) {
      await deriveActivity({ palace, timeIsUp: () => true });
      expect(palace.activity.countUnderived()).toBe(left);
    }
  });

  it.each(earlierPalaces())('in a palace of version $version', async ({ layInto }) => {
    const folder = temporaryFolder();
    layInto(folder);
    const { model } = Palace.look(folder, (palace) => ({ model: palace.model }));
    const palace = Palace.write(folder, model);
    await deriveActivity({ palace });
    expect(palace.activity.countUnderived()).toBe(0);
    palace.close();
  });
});
