import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTPUT_FOLDERS, outputRule } from '../../../src/feeders/docs/output-folders.js';
import { has } from '../../support/tools.js';
import { addFiles, git, makeTree, paths, reasons, survey } from './support.js';

const OUTPUT = 'dependency or build folder';

/** Chapters whose folders have names of build folders. */
const CHAPTERS = {
  'docs/build/index.md': 'x',
  'docs/guide/coverage/os/alpine.md': 'x',
  'docs/guide/target/image.md': 'x',
  'docs/dist/channels.rst': 'x',
  'docs/kubernetes/pods/life.md': 'x',
  'docs/vendor/contracts.md': 'x',
  'docs/venv/why.md': 'x',
  'docs/bazel-migration/plan.md': 'x',
};

/** What tools leave next to their build files. Every folder also contains something that looks like a document. */
const PROJECTS = {
  'rust/Cargo.toml': 'x',
  'rust/target/debug/build/a/out/notes.txt': 'x',
  'java/pom.xml': '<project/>',
  'java/target/site/index.md': 'x',
  'web/package.json': '{}',
  'web/dist/LICENSE.txt': 'x',
  'web/build/robots.txt': 'x',
  'web/coverage/report.txt': 'x',
  'cpp/CMakeLists.txt': 'x',
  'cpp/cmake-build-debug/CMakeCache.txt': 'x',
  'go/go.mod': 'module x',
  'go/vendor/example.org/b/README.md': 'x',
  'php/composer.json': '{}',
  'php/Vendor/a/README.md': 'x',
  'ios/Podfile': 'x',
  'ios/Pods/a/README.md': 'x',
};
const MADE = 'rust/target java/target web/dist web/build web/coverage cpp/cmake-build-debug'.split(' ');
const COMMITTED = 'go/vendor php/Vendor ios/Pods'.split(' ');

/** Output far from its build file, recognised by what it contains. */
const FAR = {
  'a/target/classes/notes.md': 'x',
  'a/build/CMakeCache.txt': 'x',
  'b/build/lib.linux-x86_64-cpython-311/notes.md': 'x',
  'a/dist/index.js': 'x',
  'a/dist/licenses.txt': 'x',
  'b/dist/x-1.0.tar.gz': 'x',
  'b/dist/notes.md': 'x',
  'a/coverage/lcov.info': 'x',
  'a/coverage/notes.md': 'x',
  'a/vendor/modules.txt': 'x',
  'a/vendor/b/README.md': 'x',
  'a/venv/bin/activate.sh': 'x',
};
const FAR_FOLDERS = 'a/target a/build b/build a/dist b/dist a/coverage a/vendor a/venv'.split(' ');

async function droppedIn(root: string): Promise<string[]> {
  const all = reasons(root, await survey(root));
  return Object.keys(all).filter((path) => all[path] === OUTPUT);
}

function commit(root: string): void {
  git(root, ['add', '--all', '--force', '.']);
  git(root, ['commit', '-qm', 'x']);
}

describe('a folder with an ordinary name, without git', () => {
  it('contains documents if nothing says otherwise', async () => {
    const root = makeTree(CHAPTERS);
    expect(paths(await survey(root))).toEqual(Object.keys(CHAPTERS).sort());
  });

  it('is dropped next to the file of the tool that makes it', async () => {
    const root = makeTree(PROJECTS);
    expect((await droppedIn(root)).sort()).toEqual([...MADE, ...COMMITTED].sort());
  });

  it('is dropped with typical output', async () => {
    const root = makeTree(FAR);
    expect((await droppedIn(root)).sort()).toEqual([...FAR_FOLDERS].sort());
  });

  it('is judged alike when only a part of the project is surveyed', async () => {
    const root = makeTree({ ...CHAPTERS, ...PROJECTS });
    expect(paths(await survey(root, { folder: 'docs/guide/target' }))).toEqual([
      'docs/guide/target/image.md',
    ]);
    for (const folder of ['rust/target', 'rust/target/debug/build']) {
      const { documents, skipped } = await survey(root, { folder });
      expect(documents).toEqual([]);
      expect(skipped).toMatchObject([{ origin: join(root, 'rust/target'), reason: OUTPUT }]);
    }
  });
});

describe.skipIf(!has('git'))('a folder with an ordinary name, in a repository (skipped without git)', () => {
  it('contains documents if git tracks it, but not committed third-party code or typical output', async () => {
    const root = makeTree({ 'package.json': '{}', ...CHAPTERS, ...PROJECTS, ...FAR });
    addFiles(root, { 'docs/Makefile': 'x', 'build/notes.md': 'x' });
    git(root, ['init', '-q']);
    commit(root);
    expect((await droppedIn(root)).sort()).toEqual(
      ['cpp/cmake-build-debug', ...COMMITTED, ...FAR_FOLDERS].sort(),
    );
    const taken = paths(await survey(root));
    for (const path of ['build/notes.md', 'docs/build/index.md', 'docs/vendor/contracts.md'])
      expect(taken).toContain(path);
    // A project may be a folder of the repository, whose names are not ASCII.
    addFiles(root, { 'größe/package.json': '{}', 'größe/ä/package.json': '{}', 'größe/ä/build/x.md': 'x' });
    commit(root);
    expect(paths(await survey(join(root, 'größe')))).toEqual([
      'package.json',
      'ä/build/x.md',
      'ä/package.json',
    ]);
  });

  it('is dropped next to a build file if git does not track it; an ignored one is dropped as ignored', async () => {
    const root = makeTree({ 'README.md': 'x' });
    git(root, ['init', '-q']);
    commit(root);
    addFiles(root, { ...CHAPTERS, ...PROJECTS });
    expect((await droppedIn(root)).sort()).toEqual([...MADE, ...COMMITTED].sort());
    expect(paths(await survey(root))).toContain('docs/guide/target/image.md');
    writeFileSync(join(root, '.gitignore'), 'target/\n');
    expect(reasons(root, await survey(root))).toMatchObject({ 'rust/target': 'ignored by .gitignore' });
    expect(await droppedIn(join(root, 'web'))).toEqual(
      ['web/build', 'web/coverage', 'web/dist'].map((each) => each.slice(4)),
    );
  });

  it('keeps its filed documents when git cannot say', async () => {
    const root = makeTree({ 'package.json': '{}', 'build/notes.md': 'x' });
    git(root, ['init', '-q']);
    commit(root);
    expect((await survey(root)).unread).toEqual([]);
    writeFileSync(join(root, '.git/index'), 'damaged');
    const { documents, unread, skipped } = await survey(root);
    expect(documents.map(({ relativePath }) => relativePath)).toEqual(['package.json']);
    expect(unread).toEqual(['build']);
    expect(skipped).toContainEqual({ origin: join(root, 'build'), reason: OUTPUT });
    rmSync(join(root, '.git'), { recursive: true });
    expect((await survey(root)).unread).toEqual([]);
  });
});

it('the table has a rule for every name, with evidence for each', () => {
  for (const { names, beside, inside } of OUTPUT_FOLDERS) {
    for (const name of names) expect(outputRule(name.replace('*', 'x')), name).toBeDefined();
    expect([...beside, ...inside].length).toBeGreaterThan(0);
    for (const pattern of [...names, ...beside, ...inside]) expect(pattern).toBe(pattern.toLowerCase());
  }
  expect(outputRule('docs')).toBeUndefined();
});
