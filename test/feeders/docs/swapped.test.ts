import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Batch } from '../../../src/core/contract.js';
import { readProjectConfig } from '../../../src/feeders/docs/config.js';
import { IgnoreRules } from '../../../src/feeders/docs/ignore-rules.js';
import { listInProject, openInProject } from '../../../src/feeders/docs/open-file.js';
import { stageProject } from '../../../src/feeders/docs/stage.js';
import type { Survey } from '../../../src/feeders/docs/survey.js';
import { isOpenedFrom } from '../../../src/platform/opened-path.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { removeFolder } from '../../support/cleanups.js';
import { makeTree, survey } from './support.js';

const SECRET = 'OUTSIDE OF THE PROJECT';
const FILES = 60;
const NAMES = Array.from({ length: FILES }, (_, n) => `docs/deep/${String(n).padStart(3, '0')}.md`);

let root: string;
let outside: string;
let cache: string;

beforeEach(() => {
  root = makeTree(Object.fromEntries(NAMES.map((name) => [name, `# Of the project\n\n${name}\n`])));
  outside = makeTree(
    Object.fromEntries(NAMES.map((name) => [name, `# Of somebody else\n\n${SECRET} ${name}\n`])),
  );
  cache = makeTree({});
});
afterEach(() => {
  for (const folder of [root, outside, cache]) removeFolder(folder);
});

async function stage(surveyed?: Survey): Promise<Batch> {
  return stageProject({
    survey: surveyed ?? (await survey(root)),
    project: { id: 'abcdef123456', root, rootCommit: null, folder: 'proj' },
    wing: 'wing_a',
    cache,
    sanitiser: await createSanitiser({ redact: true }),
    complete: true,
    folder: undefined,
    absorbs: [],
    previousWings: [],
    force: true,
    command: 'test',
    waitMs: 0,
  });
}

/** All bytes below the cache, manifests included. */
function stagedBytes(folder = cache): string {
  return readdirSync(folder, { withFileTypes: true })
    .map((item) => join(folder, item.name))
    .map((path, at) =>
      readdirSync(folder, { withFileTypes: true })[at]?.isDirectory()
        ? stagedBytes(path)
        : readFileSync(path, 'utf8'),
    )
    .join('\n');
}

const swap = () => {
  renameSync(join(root, 'docs'), join(root, 'away'));
  symlinkSync(join(outside, 'docs'), join(root, 'docs'));
};

describe('a folder that was replaced by a link', () => {
  it('after its documents were found: none is read, and their staged files stay', async () => {
    await stage();
    const looked = await survey(root);
    swap();
    const batch = await stage(looked);
    expect(batch.sources).toEqual([]);
    expect(new Set(batch.skipped.map(({ reason }) => reason))).toEqual(new Set(['moved while it was read']));
    expect(batch.skipped.every(({ problem }) => problem === true)).toBe(true);
    expect([...(batch.complete?.unread ?? [])].sort()).toEqual(NAMES);
    expect(stagedBytes()).not.toContain(SECRET);
    expect(readdirSync(join(cache, 'mempalace-docs/wing_a/proj/docs/deep'))).toHaveLength(FILES);
  });

  it('is not listed or opened at any depth, and its rules are not read', () => {
    const file = join(root, NAMES[0] ?? '');
    closeSync(openInProject(file, root));
    expect(listInProject(join(root, 'docs/deep'), root)).toHaveLength(FILES);
    writeFileSync(join(outside, 'docs/deep/.gitignore'), '*.md\n');
    swap();
    expect(() => openInProject(file, root)).toThrow('was not read: a folder above it was replaced');
    expect(() => listInProject(join(root, 'docs/deep'), root)).toThrow(
      'was not read: a folder above it was replaced',
    );
    expect(() => listInProject(join(root, 'docs'), root)).toThrow();
    expect(() => IgnoreRules.at(root, '.gitignore').inside(join(root, 'docs/deep'))).toThrow(
      'was not read: a folder above it was replaced',
    );
  });

  it('is detected by names if the system does not show paths of descriptors', async () => {
    const platform = Object.getOwnPropertyDescriptor(process, 'platform');
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    try {
      vi.resetModules();
      const named = await import('../../../src/feeders/docs/open-file.js');
      const file = join(root, NAMES[0] ?? '');
      closeSync(named.openInProject(file, root));
      expect(named.listInProject(join(root, 'docs/deep'), root)).toHaveLength(FILES);
      swap();
      expect(() => named.openInProject(file, root)).toThrow('was not read: a folder above it was replaced');
      expect(() => named.listInProject(join(root, 'docs/deep'), root)).toThrow(
        'was not read: a folder above it was replaced',
      );
    } finally {
      if (platform !== undefined) Object.defineProperty(process, 'platform', platform);
      vi.resetModules();
    }
  });

  it('counts only below the root: links in the path of the root are allowed', async () => {
    const link = join(cache, 'link');
    symlinkSync(root, link);
    // As the palace may have recorded it.
    const below = join(cache, 'above');
    mkdirSync(below);
    symlinkSync(join(root, 'docs'), join(below, 'docs'));
    const deep = join(below, 'docs', 'deep');
    expect(listInProject(deep, deep)).toHaveLength(FILES);
    closeSync(openInProject(join(deep, '000.md'), deep));
    writeFileSync(join(deep, 'mempalace.yaml'), 'wing: lamps\n');
    expect(await readProjectConfig(deep)).toMatchObject({ wing: 'lamps' });
  });

  it('is distinguished from a file that was rewritten under its name', () => {
    const file = join(root, NAMES[0] ?? '');
    const open = openSync(file, 'r');
    writeFileSync(`${file}.new`, 'newer');
    renameSync(`${file}.new`, file);
    // If only names are checked, the next run opens it again.
    expect(isOpenedFrom(open, file, root)).toBe(process.platform === 'linux');
    closeSync(open);
    const moved = openSync(file, 'r');
    renameSync(file, `${file}.moved`);
    expect(isOpenedFrom(moved, file, root)).toBe(false);
    closeSync(moved);
  });
});

/** Replaces a folder by a link and back, as fast as possible, until it is killed. */
const SWAPPER = `
const { renameSync } = require('node:fs');
const [folder, away, link] = process.argv.slice(1);
console.log('ready');
for (;;) {
  try {
    renameSync(folder, away);
    renameSync(link, folder);
    for (let until = process.hrtime.bigint() + 20_000n; process.hrtime.bigint() < until; );
    renameSync(folder, link);
    renameSync(away, folder);
    for (let until = process.hrtime.bigint() + 20_000n; process.hrtime.bigint() < until; );
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
  }
}`;

describe.skipIf(process.platform === 'win32')('while a process replaces a folder by a link and back', () => {
  it('no run stages a file from outside', { timeout: 60_000 }, async () => {
    const link = join(root, 'link');
    symlinkSync(join(outside, 'docs'), link);
    const args = ['-e', SWAPPER, join(root, 'docs'), join(root, 'away'), link];
    const swapper = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const gone = once(swapper, 'exit');
    try {
      await once(swapper.stdout, 'data');
      const until = performance.now() + 12_000;
      for (let run = 0; run < 40 && performance.now() < until; run += 1) {
        // The root is also listed between two changes, when it has no such folder.
        const batch = await stage();
        expect(JSON.stringify(batch)).not.toContain(SECRET);
        expect(stagedBytes()).not.toContain(SECRET);
      }
    } finally {
      swapper.kill('SIGKILL');
      await gone;
    }
  });
});
