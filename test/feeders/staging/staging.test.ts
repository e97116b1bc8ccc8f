import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MANIFEST_NAME, manifestSchema } from '../../../src/core/contract.js';
import { sha256 } from '../../../src/core/hash.js';
import { openStaging, type StagedEntry, type Staging } from '../../../src/feeders/staging/staging.js';
import { readManifest } from '../../../src/platform/manifest-file.js';
import { removeFolder } from '../../support/cleanups.js';

const PREFIX = 'mempalace-docs/wing_a/proj';
let cache: string;
let folder: string;
let staging: Staging | undefined;

beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'staging-'));
  folder = join(cache, PREFIX);
});

afterEach(() => {
  staging?.close();
  staging = undefined;
  removeFolder(cache);
});

async function open(keepEveryMs?: number): Promise<Staging> {
  staging?.close();
  staging = await openStaging({ cache, prefix: PREFIX, command: 'test', waitMs: 0, keepEveryMs });
  return staging;
}

async function stage(target: Staging, key: string, path: string, text: string): Promise<StagedEntry> {
  const mtimeMs = 1_700_000_000_123.5;
  const file = await target.write(path, text, mtimeMs);
  const entry: StagedEntry = {
    ...file,
    sourceKey: key,
    origin: `/project/${path}`,
    kind: 'document',
    wing: 'wing_a',
    room: 'general',
    mtimeMs,
    madeBy: 'test 1',
    fingerprint: `print of ${text}`,
  };
  target.put(entry);
  return entry;
}

/** Every file below the folder, except the manifest. */
function filesBelow(start: string): string[] {
  return readdirSync(start, { recursive: true, withFileTypes: true })
    .filter((item) => !item.isDirectory() && item.name !== MANIFEST_NAME)
    .map((item) => relative(start, join(item.parentPath, item.name)))
    .sort();
}

describe('writing', () => {
  it('makes private files in private folders for any umask, with the given mtime', async () => {
    const before = process.umask(0o000);
    try {
      const target = await open();
      const file = await target.write('docs/a.md', 'hello', 1_600_000_000_000);
      expect(statSync(file.path).mode & 0o777).toBe(0o600);
      for (const each of ['docs', '.', '..', '../..']) {
        expect(statSync(join(folder, each)).mode & 0o777).toBe(0o700);
      }
      expect(statSync(file.path).mtimeMs).toBe(1_600_000_000_000);
      expect(file).toMatchObject({ bytes: 5, hash: sha256('hello'), sourceFile: `${PREFIX}/docs/a.md` });
    } finally {
      process.umask(before);
    }
  });

  it('accepts a stream of text and hashes the file', async () => {
    const target = await open();
    async function* pieces() {
      yield 'grüße ';
      yield '🙂';
      yield '';
    }
    const file = await target.write('a.txt', pieces(), 0);
    expect(readFileSync(file.path, 'utf8')).toBe('grüße 🙂');
    expect(file.hash).toBe(sha256(readFileSync(file.path)));
    expect(file.bytes).toBe(statSync(file.path).size);
  });

  it('leaves only the old file when a stream fails', async () => {
    const target = await open();
    await stage(target, 'k', 'a.md', 'old');
    async function* broken() {
      yield 'new';
      throw new Error('cut');
    }
    await expect(target.write('a.md', broken(), 0)).rejects.toThrow('cut');
    expect(filesBelow(folder)).toEqual(['a.md']);
    expect(readFileSync(join(folder, 'a.md'), 'utf8')).toBe('old');
  });

  it.each(['../a.md', 'a/../../b', '/etc/passwd', '', 'a//b', './a', MANIFEST_NAME, '.lock', 'a\0b'])(
    'refuses the path %j',
    async (path) => {
      const target = await open();
      await expect(target.write(path, 'x', 0)).rejects.toThrow('not a path for a staged file');
    },
  );

  it('never writes outside its folder, for any path', async () => {
    const target = await open();
    const piece = fc.constantFrom('..', '.', 'a', 'b c', '…', '', '~', '\\', '/');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), async (pieces) => {
        await target.write(pieces.join('/'), 'x', 0).catch((error: unknown) => {
          expect(String(error)).toContain('not a path for a staged file');
        });
        expect(readdirSync(cache)).toEqual(['mempalace-docs']);
        expect(readdirSync(join(cache, 'mempalace-docs'))).toEqual(['wing_a']);
      }),
      { numRuns: 50 },
    );
  });

  it('does not follow a link in place of a folder', async () => {
    const outside = join(cache, 'outside');
    mkdirSync(outside);
    const target = await open();
    symlinkSync(outside, join(folder, 'docs'));
    await expect(target.write('docs/a.md', 'x', 0)).rejects.toMatchObject({ code: 'failed' });
    target.sweep(() => true);
    expect(readdirSync(outside)).toEqual([]);
    staging?.close();
    rmSync(join(cache, 'mempalace-docs'), { recursive: true });
    symlinkSync(outside, join(cache, 'mempalace-docs'));
    await expect(open()).rejects.toThrow('symbolic link');
    expect(readdirSync(outside)).toEqual([]);
  });

  it('removes temporary files of other runs, and never the target of a link', async () => {
    const target = await open();
    const victim = join(cache, 'victim');
    writeFileSync(victim, 'precious');
    for (const number of [1, 2]) symlinkSync(victim, join(folder, `.mempalace-tmp-${process.pid}-${number}`));
    await stage(target, 'a', 'a.md', 'one');
    await target.save({ skipped: [] });
    target.sweep(() => true);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect([readFileSync(join(folder, 'a.md'), 'utf8'), filesBelow(folder)]).toEqual(['one', ['a.md']]);
  });

  it('replaces a link in place of a file, and never its target', async () => {
    const victim = join(cache, 'victim');
    writeFileSync(victim, 'precious');
    const target = await open();
    symlinkSync(victim, join(folder, 'a.md'));
    await target.write('a.md', 'x', 0);
    expect(readFileSync(victim, 'utf8')).toBe('precious');
    expect(lstatSync(join(folder, 'a.md')).isFile()).toBe(true);
  });

  it('handles a folder that became a file and a file that became a folder', async () => {
    const target = await open();
    await stage(target, 'one', 'docs/a.md', 'x');
    await stage(target, 'two', 'docs', 'y');
    expect(target.entry('one')).toBeUndefined();
    await stage(target, 'three', 'docs/b/c.md', 'z');
    expect(target.entries().map((each) => each.sourceKey)).toEqual(['three']);
    expect(filesBelow(folder)).toEqual(['docs/b/c.md']);
  });
});

describe('the record', () => {
  it('lists current files after reopening, without changed and lost ones', async () => {
    let target = await open();
    for (const name of ['a', 'b', 'c', 'd']) await stage(target, name, `${name}.md`, `text of ${name}`);
    await target.save({ skipped: [] });
    writeFileSync(join(folder, 'b.md'), 'longer than it was');
    utimesSync(join(folder, 'c.md'), 1, 1);
    rmSync(join(folder, 'd.md'));
    target = await open();
    expect(target.entries().map((each) => each.sourceKey)).toEqual(['a']);
    expect(target.entry('a')?.fingerprint).toBe('print of text of a');
    expect(target.entry('b')).toBeUndefined();
    target.sweep(() => true);
    expect(filesBelow(folder)).toEqual(['a.md']);
  });

  it('is written during staging, with later entries in the next write', async () => {
    const target = await open(0);
    await stage(target, 'a', 'a.md', 'A');
    const keeping = target.keep({ skipped: [] });
    await stage(target, 'b', 'b.md', 'B');
    await keeping;
    // As after a kill: nothing is saved at the end.
    expect([...(await open(0)).entries()].map(({ sourceKey }) => sourceKey)).toEqual(['a']);
    const again = await open(0);
    await stage(again, 'b', 'b.md', 'B');
    const meanwhile = again.keep({ skipped: [] });
    await stage(again, 'c', 'c.md', 'C');
    await meanwhile;
    await again.save({ skipped: [] });
    expect((await open()).entries()).toHaveLength(3);
  });

  it('is not written too often', async () => {
    const target = await open(1e9);
    await stage(target, 'a', 'a.md', 'A');
    await target.keep({ skipped: [] });
    expect((await open()).entries()).toEqual([]);
  });

  it('keeps working when the cache is moved', async () => {
    const target = await open();
    await stage(target, 'a', 'docs/a.md', 'x');
    await target.save({ skipped: [] });
    target.close();
    const moved = `${cache}-moved`;
    renameSync(cache, moved);
    cache = moved;
    folder = join(cache, PREFIX);
    expect((await open()).entry('a')?.path).toBe(join(moved, PREFIX, 'docs/a.md'));
  });

  it('removes the file of an older name, unless another source uses it', async () => {
    const target = await open();
    const a = await stage(target, 'a', 'x.md', 'text of a');
    await stage(target, 'b', 'y.md', 'text of b');
    const newA = await target.write('y.md', 'text of a', 5000);
    const newB = await target.write('x.md', 'text of b', 5000);
    target.put({ ...a, ...newA, mtimeMs: 5000 });
    target.put({ ...a, ...newB, sourceKey: 'b', mtimeMs: 5000 });
    expect(readFileSync(join(folder, 'y.md'), 'utf8')).toBe('text of a');
    expect(readFileSync(join(folder, 'x.md'), 'utf8')).toBe('text of b');
    await stage(target, 'a', 'deep/z.md', 'text of a');
    expect(filesBelow(folder)).toEqual(['deep/z.md', 'x.md']);
    target.drop('a');
    expect(existsSync(join(folder, 'deep'))).toBe(false);
  });

  it('removes leftovers only below a given folder', async () => {
    const target = await open();
    for (const path of ['docs/a.md', 'docs/sub/b.md', 'docsy/c.md', 'd.md']) {
      await stage(target, path, path, 'x');
    }
    await target.write('docs/left-over', 'x', 0);
    await target.write('left-over', 'x', 0);
    target.sweep(() => false, 'docs');
    expect(filesBelow(folder)).toEqual(['d.md', 'docsy/c.md', 'left-over']);
    expect(existsSync(join(folder, 'docs'))).toBe(false);
    expect(
      target
        .entries()
        .map((each) => each.sourceKey)
        .sort(),
    ).toEqual(['d.md', 'docsy/c.md']);
    expect(() => target.sweep(() => false, '../..')).toThrow('not a folder of the mirror');
  });

  it('leaves the lock files of a wing folder that is the staging folder itself', async () => {
    const prefix = 'mempalace-session/wing_a';
    const target = await openStaging({ cache, prefix, command: 'test', waitMs: 0 });
    await stage(target, 'a', 'a.jsonl', '{}');
    await target.save({ skipped: [] });
    target.sweep(() => true);
    expect(existsSync(join(cache, prefix, '.lock'))).toBe(true);
    expect(existsSync(join(cache, prefix, MANIFEST_NAME))).toBe(true);
    target.close();
  });

  it('is locked by one run at a time', async () => {
    await open();
    const second = openStaging({ cache, prefix: PREFIX, command: 'second', waitMs: 0 });
    await expect(second).rejects.toMatchObject({ code: 'locked', message: expect.stringContaining('test') });
    await open();
  });
});

describe('the manifest', () => {
  it('is valid for the miner, private, sorted, and not written again without changes', async () => {
    let target = await open();
    await stage(target, 'b', 'b.md', 'b');
    await stage(target, 'a', 'docs/a.md', 'a');
    const batch = { skipped: [{ origin: '/p/x.ts', reason: 'source code' }] };
    await target.save(batch);
    const file = join(folder, MANIFEST_NAME);
    const manifest = manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(manifest.sources.map((each) => each.path)).toEqual(['docs/a.md', 'b.md']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    utimesSync(file, 1, 1);
    target = await open();
    await target.save(batch);
    expect(statSync(file).mtimeMs).toBe(1000);
    await target.save({ skipped: [] });
    expect(statSync(file).mtimeMs).not.toBe(1000);
  });

  it.each([
    ['does not parse', () => '{"version": 1, "sources": ['],
    ['is of another version', (text: string) => text.replace('"version":1', '"version":2')],
    ['names a path outside', (text: string) => text.replace('"docs/a.md"', '"../../../../victim"')],
    ['names an absolute path', (text: string) => text.replace('"docs/a.md"', '"/victim"')],
  ])('counts as missing if it %s', async (_, damage) => {
    const victim = join(cache, 'victim');
    writeFileSync(victim, 'a');
    let target = await open();
    await stage(target, 'a', 'docs/a.md', 'a');
    await target.save({ skipped: [] });
    expect(readManifest(folder)?.sources).toHaveLength(1);
    const file = join(folder, MANIFEST_NAME);
    const text = readFileSync(file, 'utf8');
    const damaged = damage(text);
    expect(damaged).not.toBe(text);
    writeFileSync(file, damaged);
    expect(readManifest(folder)).toBeUndefined();
    target = await open();
    expect(target.entries()).toEqual([]);
    target.sweep(() => false);
    expect(existsSync(victim)).toBe(true);
    expect(filesBelow(folder)).toEqual([]);
  });

  it('is in a folder that is made private again', async () => {
    await open();
    chmodSync(folder, 0o755);
    await open();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });
});

describe('the time of a staged file', () => {
  it('is the given whole millisecond', async () => {
    const target = await open();
    for (let ms = 1_795_295_806_400; ms < 1_795_295_806_460; ms += 1) {
      const { path } = await target.write('a.txt', 'a', ms);
      expect(Math.floor(statSync(path).mtimeMs)).toBe(ms);
    }
  });
});
