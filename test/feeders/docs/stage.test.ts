import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Batch, Project } from '../../../src/core/contract.js';
import { sha256 } from '../../../src/core/hash.js';
import { TimeUp } from '../../../src/core/time-up.js';
import { readDocument, UnreadDocument } from '../../../src/feeders/docs/read.js';
import { type StageOptions, stageProject } from '../../../src/feeders/docs/stage.js';
import type { SurveyOptions } from '../../../src/feeders/docs/survey.js';
import { readManifest } from '../../../src/platform/manifest-file.js';
import type { Sanitiser } from '../../../src/sanitiser/index.js';
import { removeFolder } from '../../support/cleanups.js';
import { addFiles, makeFifo, makeTree, survey } from './support.js';

let root: string;
let cache: string;
let project: Project;
let cleaned: string[];

/** Redacts one word and records its input. */
const sanitiser = (version = 1): Sanitiser => ({
  version,
  clean: async (text) => {
    cleaned.push(text);
    const count = text.split('hunter2').length - 1;
    const redacted: Record<string, number> = count > 0 ? { password: count } : {};
    return { text: text.replaceAll('hunter2', '[REDACTED:password]'), redacted };
  },
  cleanValue: async (value) => ({ value, redacted: {} }),
  scope: () => {
    throw new Error('a document is one text');
  },
});

beforeEach(() => {
  root = makeTree({ 'README.md': '# Hi\n', 'docs/a.md': 'text of a', 'docs/deep/b.md': 'text of b' });
  cache = makeTree({});
  project = { id: 'abcdef123456', root, rootCommit: null, folder: 'proj' };
  cleaned = [];
});
afterEach(() => {
  removeFolder(root);
  removeFolder(cache);
});

async function run(
  options: Partial<StageOptions> = {},
  looking: Partial<SurveyOptions> = {},
): Promise<Batch> {
  cleaned = [];
  return stageProject({
    survey: await survey(root, { folder: options.folder, ...looking }),
    project,
    wing: 'wing_a',
    cache,
    sanitiser: sanitiser(),
    complete: true,
    folder: undefined,
    absorbs: [],
    previousWings: [],
    force: false,
    command: 'test',
    waitMs: 0,
    ...options,
  });
}

const mirror = (...path: string[]) => join(cache, 'mempalace-docs', 'wing_a', 'proj', ...path);
const keys = (batch: Batch) => batch.sources.map((each) => each.sourceKey);
const mirrored = (folder = mirror()) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && !item.name.startsWith('.mempalace'))
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();

describe('staging a project', () => {
  it('dates a file from the future by the change of its record, each time the same', async () => {
    const file = join(root, 'README.md');
    utimesSync(file, 4_070_908_800, 4_070_908_800);
    const { ctimeMs } = statSync(file);
    for (let time = 0; time < 2; time += 1) {
      expect((await run()).sources[0]).toMatchObject({ origin: file, mtimeMs: ctimeMs });
      expect(Math.abs(statSync(mirror('README.md')).mtimeMs - ctimeMs)).toBeLessThan(2);
      rmSync(cache, { recursive: true });
    }
  });

  it('makes a private mirror with the files’ mtimes, and a batch that describes it', async () => {
    utimesSync(join(root, 'README.md'), 1_600_000_000, 1_600_000_000.25);
    const batch = await run();
    expect(mirrored()).toEqual(['README.md', 'docs/a.md', 'docs/deep/b.md']);
    expect(batch.sources[0]).toMatchObject({
      path: mirror('README.md'),
      sourceKey: 'doc:abcdef123456/README.md',
      sourceFile: 'mempalace-docs/wing_a/proj/README.md',
      origin: join(root, 'README.md'),
      kind: 'document',
      wing: 'wing_a',
      room: 'general',
      bytes: 5,
      hash: sha256('# Hi\n'),
      madeBy: 'sanitiser 1',
    });
    expect(batch.complete).toEqual({
      project: project.id,
      unread: [],
      testData: [],
      folder: undefined,
      absorbs: [],
    });
    expect(batch.project).toEqual(project);
    const stat = statSync(mirror('README.md'));
    expect(stat.mtimeMs).toBe(1_600_000_000_250);
    expect(stat.mode & 0o777).toBe(0o600);
    expect(statSync(mirror('docs')).mode & 0o777).toBe(0o700);
    expect(readManifest(mirror())?.sources.map((each) => each.path)).toEqual([
      'README.md',
      'docs/a.md',
      'docs/deep/b.md',
    ]);
  });

  it('stages decoded, sanitised text, and counts redactions', async () => {
    addFiles(root, {
      'secret.md': 'password: hunter2 and hunter2\r\n',
      'utf16.txt': Buffer.from('\ufeffGröße hunter2', 'utf16le'),
      'broken.txt': Buffer.from([...Buffer.from('Grüße, schön '), 0xff]),
    });
    const batch = await run();
    const texts = Object.fromEntries(
      batch.sources.map((each) => [each.sourceFile.split('/').at(-1), readFileSync(each.path, 'utf8')]),
    );
    expect(texts).toMatchObject({
      'secret.md': 'password: [REDACTED:password] and [REDACTED:password]\r\n',
      'utf16.txt': 'Größe [REDACTED:password]',
      'broken.txt': 'Grüße, schön \ufffd',
    });
    const source = batch.sources.find((each) => each.sourceKey.endsWith('secret.md'));
    expect(source?.redacted).toEqual({ password: 2 });
    expect(source?.hash).toBe(sha256(readFileSync(mirror('secret.md'))));
    expect(source?.bytes).toBe(statSync(mirror('secret.md')).size);
    // Redactions are remembered when the file is not read again.
    expect((await run()).sources.find((each) => each.sourceKey.endsWith('secret.md'))).toEqual(source);
  });

  it('reads only changed documents again', async () => {
    const first = await run();
    expect(cleaned).toHaveLength(3);
    const progress: string[] = [];
    const second = await run({ onProgress: (done, total) => progress.push(`${done}/${total}`) });
    expect(cleaned).toEqual([]);
    expect(second).toEqual(first);
    expect(progress).toEqual(['5/23', '14/23', '23/23']);
    writeFileSync(join(root, 'docs/a.md'), 'new text of a');
    const third = await run();
    expect(cleaned).toEqual(['new text of a']);
    expect(readFileSync(mirror('docs/a.md'), 'utf8')).toBe('new text of a');
    expect(keys(third)).toEqual(keys(first));
    await run({ force: true });
    expect(cleaned).toHaveLength(3);
    await run({ sanitiser: sanitiser(2) });
    expect(cleaned).toHaveLength(3);
  });

  it('detects a change with the same size and mtime', async () => {
    await run();
    const file = join(root, 'docs/a.md');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'text of z');
    utimesSync(file, atime, mtime);
    await run();
    expect(readFileSync(mirror('docs/a.md'), 'utf8')).toBe('text of z');
  });

  it('gives a file that was touched its new time', async () => {
    await run();
    utimesSync(join(root, 'README.md'), 1_600_000_000, 1_600_000_000);
    expect((await run()).sources[0]).toMatchObject({ mtimeMs: 1_600_000_000_000, hash: sha256('# Hi\n') });
    expect(statSync(mirror('README.md')).mtimeMs).toBe(1_600_000_000_000);
  });

  it('stages again what was lost or changed in the cache', async () => {
    await run();
    rmSync(mirror('docs/a.md'));
    writeFileSync(mirror('README.md'), 'something else');
    const batch = await run();
    expect(cleaned).toHaveLength(2);
    expect(readFileSync(mirror('README.md'), 'utf8')).toBe('# Hi\n');
    rmSync(cache, { recursive: true });
    expect(await run()).toEqual(batch);
  });

  it('removes deleted, renamed and ignored documents from the mirror, and those of new nested projects', async () => {
    addFiles(root, { 'c.md': 'c', 'sub/d.md': 'd', 'quiet.md': 'q', 'docs/gone.md': 'g' });
    await run();
    rmSync(join(root, 'docs/gone.md'));
    addFiles(root, { '.gitignore': 'quiet.md\n', 'sub/mempalace.yaml': '', 'c.md': '' });
    const batch = await run();
    expect(mirrored()).toEqual(['README.md', 'docs/a.md', 'docs/deep/b.md']);
    expect(batch.complete).toBeDefined();
    expect(existsSync(mirror('sub'))).toBe(false);
  });

  it('keeps documents that a run with patterns did not select, but not deleted ones', async () => {
    addFiles(root, { 'c.md': 'c' });
    await run();
    rmSync(join(root, 'c.md'));
    const batch = await run({ complete: false }, { exclude: ['docs/'] });
    expect(batch.complete).toBeUndefined();
    expect(keys(batch)).toEqual(['doc:abcdef123456/README.md']);
    expect(mirrored()).toEqual(['README.md', 'docs/a.md', 'docs/deep/b.md']);
    expect(readManifest(mirror())?.complete).toBeUndefined();
  });

  it('with a folder changes and lists only that folder', async () => {
    await run();
    rmSync(join(root, 'README.md'));
    rmSync(join(root, 'docs/deep/b.md'));
    const batch = await run({ folder: 'docs' });
    expect(keys(batch)).toEqual(['doc:abcdef123456/docs/a.md']);
    expect(batch.complete).toMatchObject({ folder: 'docs' });
    expect(mirrored()).toEqual(['README.md', 'docs/a.md']);
    expect(readManifest(mirror())?.sources).toHaveLength(2);
  });

  it('keeps unreadable documents and marks them as unread', async () => {
    await run();
    const looked = await survey(root);
    const trimmed = {
      ...looked,
      documents: looked.documents.filter((each) => !each.relativePath.startsWith('docs/')),
      unread: ['docs'],
    };
    const batch = await run({ survey: trimmed });
    expect(batch.complete?.unread).toEqual(['docs']);
    expect(keys(batch)).toEqual(['doc:abcdef123456/README.md']);
    expect(mirrored()).toEqual(['README.md', 'docs/a.md', 'docs/deep/b.md']);
  });
});

describe('changes between survey and reading', () => {
  it('a file that disappeared, became a link or a FIFO, or contains a late zero byte is skipped', async () => {
    addFiles(root, {
      'gone.md': 'x',
      'link.md': 'x',
      'pipe.md': 'x',
      'zero.md': `${'text '.repeat(4000)}\0`,
    });
    const looked = await survey(root);
    for (const name of ['gone.md', 'link.md', 'pipe.md']) rmSync(join(root, name));
    symlinkSync('README.md', join(root, 'link.md'));
    const hasFifo = process.platform !== 'win32';
    if (hasFifo) makeFifo(join(root, 'pipe.md'));
    const batch = await run({ survey: looked });
    expect(
      Object.fromEntries(batch.skipped.map((each) => [each.origin.slice(root.length + 1), each.reason])),
    ).toEqual({
      'gone.md': 'vanished',
      'link.md': 'symlink',
      'pipe.md': hasFifo ? 'not a regular file' : 'vanished',
      'zero.md': 'binary',
    });
    expect(keys(batch)).toHaveLength(3);
    expect(mirrored()).toHaveLength(3);
    expect(batch.complete?.unread).toEqual([]);
  });

  it('an unreadable file stays as it was filed', async () => {
    await run();
    const looked = await survey(root);
    // A name longer than any file system allows cannot be opened, even by root.
    const documents = looked.documents.map((each) =>
      each.relativePath === 'docs/a.md'
        ? { ...each, absolutePath: join(root, 'x'.repeat(5000)), ctimeMs: 1 }
        : each,
    );
    const batch = await run({ survey: { ...looked, documents } });
    expect(batch.complete?.unread).toEqual(['docs/a.md']);
    expect(batch.skipped).toMatchObject([{ reason: 'unreadable', problem: true }]);
    expect(keys(batch)).not.toContain('doc:abcdef123456/docs/a.md');
    expect(readFileSync(mirror('docs/a.md'), 'utf8')).toBe('text of a');
  });

  it('a changed file is staged in its current state, and read again by the next run', async () => {
    const looked = await survey(root);
    writeFileSync(join(root, 'docs/a.md'), 'longer than it was when it was found');
    await run({ survey: looked });
    expect(readFileSync(mirror('docs/a.md'), 'utf8')).toBe('longer than it was when it was found');
    await run();
    expect(cleaned).toEqual(['longer than it was when it was found']);
  });

  it('a file that grows during the read is read again', async () => {
    const path = join(root, 'docs/a.md');
    const handle = await open(path);
    const methods: Pick<FileHandle, 'readFile'> = Object.getPrototypeOf(handle);
    await handle.close();
    const { readFile } = methods;
    const reading = vi.spyOn(methods, 'readFile').mockImplementationOnce(async function (
      this: FileHandle,
      ...given: unknown[]
    ) {
      const result = await Reflect.apply(readFile, this, given);
      appendFileSync(path, ', and more');
      return result;
    });
    const document = (await survey(root)).documents.find((each) => each.absolutePath === path);
    if (document === undefined) throw new Error('not found');
    expect((await readDocument(document, sanitiser())).content).toBe('text of a, and more');
    expect(reading).toHaveBeenCalledTimes(2);
    reading.mockRestore();
  });

  it('too short runs do not stop at documents that cannot be staged', async () => {
    // The temporary name of the staged file is longer.
    addFiles(
      root,
      Object.fromEntries([1, 2, 3, 4, 5].map((n) => [`0${n}${'x'.repeat(248)}.md`, `text ${n}`])),
    );
    const shortRun = () => run({ timeIsUp: () => true }).catch((error: unknown) => error);
    let outcome = await shortRun();
    for (let runs = 0; runs < 5 && outcome instanceof TimeUp; runs += 1) outcome = await shortRun();
    expect(outcome).not.toBeInstanceOf(Error);
    expect(readFileSync(mirror('docs/deep/b.md'), 'utf8')).toBe('text of b');
  });

  it('readDocument gives the reason', async () => {
    const [document] = (await survey(root)).documents;
    if (document === undefined) throw new Error('nothing found');
    expect(await readDocument(document, sanitiser())).toEqual({
      content: '# Hi\n',
      redacted: {},
      hash: sha256('# Hi\n'),
      bytes: 5,
    });
    rmSync(document.absolutePath);
    const error = await readDocument(document, sanitiser()).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(UnreadDocument);
    expect(error).toMatchObject({ skipped: { origin: document.absolutePath, reason: 'vanished' } });
  });

  it('stop on a signal, without unfinished files', async () => {
    const stop = new AbortController();
    const running = run({ signal: stop.signal, onProgress: () => stop.abort() });
    await expect(running).rejects.toThrow();
    const batch = await run();
    expect(keys(batch)).toHaveLength(3);
    expect(mirrored()).toHaveLength(3);
  });
});

describe('wings and names', () => {
  it('another project of the same name gets a folder with its id, and keeps it', async () => {
    await run();
    const other = makeTree({ 'x.md': 'other' });
    const theirs: Project = { id: '987654fedcba', root: other, rootCommit: null, folder: 'proj' };
    const stageOther = async () =>
      stageProject({
        survey: await survey(other),
        project: theirs,
        wing: 'wing_a',
        cache,
        sanitiser: sanitiser(),
        complete: true,
        folder: undefined,
        absorbs: [],
        previousWings: [],
        force: false,
        command: 'test',
        waitMs: 0,
      });
    const batch = await stageOther();
    expect(batch.project?.folder).toBe('proj-987654');
    expect(batch.sources[0]?.sourceFile).toBe('mempalace-docs/wing_a/proj-987654/x.md');
    expect(mirrored()).toHaveLength(3);
    // The first project is removed; the second keeps its folder.
    rmSync(mirror(), { recursive: true });
    cleaned = [];
    expect((await stageOther()).project?.folder).toBe('proj-987654');
    expect(cleaned).toEqual([]);
    theirs.folder = 'proj-987654';
    expect((await stageOther()).project?.folder).toBe('proj-987654');
    rmSync(other, { recursive: true });
  });

  it('leaves the previous wing, with only its own mirror', async () => {
    await run();
    const neighbour = makeTree({ 'x.md': 'x' });
    await run({
      project: { ...project, id: 'neighbour', root: neighbour, folder: 'other' },
      survey: await survey(neighbour),
    });
    const batch = await run({ wing: 'wing_b', previousWings: ['wing_a'] });
    expect(batch.sources.every((each) => each.wing === 'wing_b' && each.path.includes('wing_b'))).toBe(true);
    expect(existsSync(mirror())).toBe(false);
    expect(existsSync(join(cache, 'mempalace-docs', 'wing_a', 'other', 'x.md'))).toBe(true);
    await run({ wing: 'wing_b', previousWings: ['../../..'] });
    expect(existsSync(root)).toBe(true);
    rmSync(neighbour, { recursive: true });
  });

  it('removes the mirror of an absorbed project', async () => {
    const inner = { id: 'inner0', root: join(root, 'docs'), rootCommit: null, folder: 'docs' };
    await run({ project: inner, survey: await survey(join(root, 'docs')) });
    const batch = await run({ absorbs: ['inner0'] });
    expect(batch.complete?.absorbs).toEqual(['inner0']);
    expect(
      readdirSync(join(cache, 'mempalace-docs', 'wing_a')).filter((name) => !name.startsWith('.')),
    ).toEqual(['proj']);
  });

  it('removes that mirror in another wing too, and its own under an older name', async () => {
    const inner = { id: 'inner0', root: join(root, 'docs'), rootCommit: null, folder: 'docs' };
    await run({ project: inner, survey: await survey(join(root, 'docs')), wing: 'wing_docs' });
    await run({ project: { ...project, folder: 'before' } });
    await run({ absorbs: ['inner0'], previousWings: ['wing_docs', 'wing_a'] });
    const manifests = readdirSync(join(cache, 'mempalace-docs'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((path) => path.endsWith('.mempalace-batch.json'));
    expect(manifests).toEqual([join('wing_a', 'proj', '.mempalace-batch.json')]);
  });

  it.each(['.hidden', 'a/b', '..', 'x'.repeat(255), '', 'line\nend'])(
    'gives the project folder %j a safe name',
    async (folder) => {
      const batch = await run({ project: { ...project, folder } });
      expect(batch.project?.folder).toMatch(/^[^./\n][^/\n]*$/);
      expect(readdirSync(join(cache, 'mempalace-docs'))).toEqual(['wing_a']);
      expect((await run({ project: { ...project, folder } })).project?.folder).toBe(batch.project?.folder);
      expect(cleaned).toEqual([]);
    },
  );

  it('refuses a wing with a path outside the cache', async () => {
    await expect(run({ wing: '../x' })).rejects.toMatchObject({ code: 'usage' });
  });

  it('does not write through a link in the cache', async () => {
    const elsewhere = makeTree({});
    mkdirSync(join(cache, 'mempalace-docs', 'wing_a'), { recursive: true });
    symlinkSync(elsewhere, mirror());
    await expect(run()).rejects.toMatchObject({ code: 'failed' });
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(lstatSync(mirror()).isSymbolicLink()).toBe(true);
    rmSync(elsewhere, { recursive: true });
  });

  it.skipIf(process.platform !== 'linux')(
    'uses NFC for keys and mirror, whatever the disk says',
    async () => {
      addFiles(root, { 'e\u0301/u\u0308.md': 'x' });
      const batch = await run();
      expect(keys(batch)).toContain('doc:abcdef123456/\u00e9/\u00fc.md');
      expect(mirrored()).toContain('\u00e9/\u00fc.md');
      expect(batch.sources.find((each) => each.sourceKey.includes('\u00e9'))?.origin).toBe(
        join(root, 'e\u0301/u\u0308.md'),
      );
    },
  );
});

it('records staged documents before it ends, without a batch: a kill loses none of them', async () => {
  await run();
  writeFileSync(join(root, 'docs/a.md'), 'another text of a');
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
    now += 60_000;
    return now;
  });
  const seen: unknown[] = [];
  try {
    await run({
      onProgress: (done, total) => {
        const manifest = readManifest(mirror());
        if (done === total) seen.push(manifest?.complete, manifest?.sources.length, manifest?.project?.id);
      },
    });
  } finally {
    clock.mockRestore();
  }
  expect(seen).toEqual([undefined, 3, project.id]);
  expect(readManifest(mirror())?.complete).toBeDefined();
});
