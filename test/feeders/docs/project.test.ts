import { describe, expect, it } from 'vitest';
import type { FiledProject } from '../../../src/core/contract.js';
import { identifyProject, stagingFolder } from '../../../src/feeders/docs/project.js';

const filed: FiledProject = { id: 'aaa', root: '/old', rootCommit: 'c1', folder: 'app', wing: 'wing_app' };

function identify(options: {
  root: string;
  rootCommit?: string | null;
  paths?: string[];
  existing?: string[];
  known?: FiledProject[];
  pathsOf?: Record<string, string[]>;
}) {
  return identifyProject(
    {
      root: options.root,
      rootCommit: options.rootCommit ?? null,
      name: 'app',
      paths: () => options.paths ?? [],
      exists: (root) => (options.existing ?? []).includes(root),
      mark: '',
    },
    options.known ?? [filed],
    (id) => options.pathsOf?.[id] ?? [],
  );
}

describe('the project of a folder', () => {
  it('is the project filed from this root', () => {
    expect(identify({ root: '/old', existing: ['/old'] }).project.id).toBe('aaa');
  });

  it('is the moved project if the old root is gone and the first commit is the same', () => {
    expect(identify({ root: '/new', rootCommit: 'c1' }).project).toMatchObject({ id: 'aaa', root: '/new' });
  });

  it('is, of several with that commit, the one with the same name, then the one with the most shared paths', () => {
    const known = [
      { ...filed, id: 'a', root: '/gone/other' },
      { ...filed, id: 'b', root: '/gone/app' },
      { ...filed, id: 'c', root: '/gone/else' },
    ];
    expect(identify({ root: '/new', rootCommit: 'c1', known }).project.id).toBe('b');
    const unnamed = known.filter(({ id }) => id !== 'b');
    const pathsOf = { a: ['x.md'], c: ['x.md', 'y.md'] };
    const paths = ['x.md', 'y.md'];
    expect(identify({ root: '/new', rootCommit: 'c1', known: unnamed, paths, pathsOf }).project.id).toBe('c');
  });

  it('is a new one while the old root exists', () => {
    expect(identify({ root: '/new', rootCommit: 'c1', existing: ['/old'] }).filed).toBeUndefined();
  });

  it('is a new one if the first commit differs', () => {
    expect(
      identify({ root: '/new', rootCommit: 'c2', paths: ['a', 'b'], pathsOf: { aaa: ['a', 'b'] } }).filed,
    ).toBeUndefined();
  });

  it('without git is the one with most of its paths', () => {
    const known = [{ ...filed, rootCommit: null }];
    const pathsOf = { aaa: ['a.md', 'b.md', 'c.md'] };
    expect(identify({ root: '/new', paths: ['a.md', 'b.md'], known, pathsOf }).project.id).toBe('aaa');
    expect(identify({ root: '/new', paths: ['a.md', 'x.md'], known, pathsOf }).filed).toBeUndefined();
  });

  it('gets the same new id every time, and never a used one', () => {
    const first = identify({ root: '/new', known: [] }).project.id;
    expect(identify({ root: '/new', known: [] }).project.id).toBe(first);
    const taken = { ...filed, id: first, root: '/elsewhere' };
    expect(identify({ root: '/new', known: [taken], existing: ['/elsewhere'] }).project.id).not.toBe(first);
  });
});

describe('the staging folder', () => {
  it('has a short id in its name if another project of that wing has the name', () => {
    const project = { id: 'bbbbbbbbbbbb', root: '/x/app', rootCommit: null, folder: 'app' };
    expect(stagingFolder(project, 'wing_app', [filed])).toBe('app-bbbbbb');
    expect(stagingFolder(project, 'wing_other', [filed])).toBe('app');
  });
});
