import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Batch, MANIFEST_NAME, type StagedSource } from '../../src/core/contract.js';
import { stagedBatches as read } from '../../src/miner/staged.js';
import { createSanitiser, SANITISER_VERSION } from '../../src/sanitiser/index.js';
import { temporaryFolder } from '../support/palace.js';
import { documentBatch } from '../support/staged.js';

const sanitiser = () => createSanitiser({ redact: true });

/** Given by the user with `--staged`. */
const stagedBatches = (folder: string, allowRemovals = true) =>
  read(folder, { cache: temporaryFolder(), named: true, allowRemovals, sanitiser });

interface Changes {
  paths?: (path: string) => string;
  batch?: Partial<Batch>;
  source?: Partial<StagedSource>;
}

/** A staging folder with two documents and a feeder's other files, as in a cache. */
function staged(changes: Changes = {}): string {
  const root = join(temporaryFolder(), 'mempalace-docs');
  const batch = documentBatch(root, { 'a.md': 'aaa', 'sub/b.md': 'bbb' });
  const folder = join(root, 'wing_a', 'p1');
  const paths = changes.paths ?? ((path: string) => path);
  const manifest = {
    version: 1,
    ...batch,
    contained: [{ sourceKey: 'opencode:f', standsIn: ['opencode:o'] }],
    ...changes.batch,
    sources: batch.sources.map((source) => ({
      ...source,
      ...changes.source,
      path: paths(source.path.slice(folder.length + 1)),
      fingerprint: 'x',
    })),
  };
  writeFileSync(join(folder, MANIFEST_NAME), JSON.stringify(manifest), { mode: 0o600 });
  for (const each of [folder, join(folder, '..'), root]) chmodSync(each, 0o700);
  return folder;
}

describe('a staging folder', () => {
  it('returns its batch, in any location', async () => {
    const folder = staged();
    const moved = join(temporaryFolder(), 'elsewhere');
    renameSync(folder, moved);
    const [batch, ...rest] = await stagedBatches(join(moved, '..'));
    expect(rest).toEqual([]);
    expect(batch?.sources.map(({ path }) => path)).toEqual([join(moved, 'a.md'), join(moved, 'sub/b.md')]);
    expect(batch).toMatchObject({ complete: { project: 'p1' }, contained: [{ sourceKey: 'opencode:f' }] });
  });

  it('with a missing or changed file removes nothing', async () => {
    for (const harm of [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, 'longer than it was'),
    ]) {
      const folder = staged();
      harm(join(folder, 'a.md'));
      const [batch] = await stagedBatches(folder);
      expect(batch?.sources).toHaveLength(1);
      expect(batch?.skipped).toMatchObject([{ problem: true }]);
      expect(batch?.complete).toBeUndefined();
      expect(batch?.contained).toBeUndefined();
    }
  });

  it('is trusted in the cache of this user, under any path, and elsewhere only on request', async () => {
    const folder = staged();
    const cache = join(folder, '../../..');
    const at = (place: string, of = cache) =>
      read(place, { cache: of, named: false, allowRemovals: false, sanitiser });
    for (const place of [folder, join(folder, '..'), join(folder, '../..'), cache]) {
      const [batch] = await at(place);
      expect(batch?.sources).toHaveLength(2);
      expect(batch?.guarded).toBeUndefined();
    }
    expect(await at(folder, temporaryFolder())).toEqual([]);
    expect(await at(join(cache, '..'))).toEqual([]);
    // A project inside the cache.
    const project = join(cache, 'clones', 'shop');
    mkdirSync(join(cache, 'clones'), { mode: 0o700 });
    renameSync(folder, project);
    expect(await at(project)).toEqual([]);
    expect(await at(cache)).toEqual([]);
  });

  it('in the cache must be at the depth that feeders use, not a staged file of its name', async () => {
    const folder = staged();
    const cache = join(folder, '../../..');
    mkdirSync(join(folder, 'docs'), { mode: 0o700 });
    renameSync(join(folder, MANIFEST_NAME), join(folder, 'docs', MANIFEST_NAME));
    expect(await read(cache, { cache, named: false, allowRemovals: false, sanitiser })).toEqual([]);
  });

  it.skipIf(process.getuid === undefined)('must be private', async () => {
    const folder = staged();
    const cache = join(folder, '../../..');
    for (const [path, open, closed] of [
      [join(folder, '..'), 0o755, 0o700],
      [folder, 0o755, 0o700],
      [join(folder, MANIFEST_NAME), 0o644, 0o600],
    ] as const) {
      chmodSync(path, open);
      expect(await read(cache, { cache, named: false, allowRemovals: false, sanitiser })).toEqual([]);
      chmodSync(path, closed);
    }
    expect(await read(cache, { cache, named: false, allowRemovals: false, sanitiser })).toHaveLength(1);
    for (const path of [folder, join(folder, MANIFEST_NAME)]) {
      chmodSync(path, 0o777);
      expect(await stagedBatches(folder)).toMatchObject([
        { sources: [], skipped: [{ origin: path, reason: 'not trusted', problem: true }] },
      ]);
      chmodSync(path, 0o700);
    }
  });

  it('elsewhere is sanitised again with any stamp; in the cache only if it is of another version', async () => {
    const now = `sanitiser ${SANITISER_VERSION}`;
    for (const [stamp, own, named] of [
      [now, { sanitised: true, madeBy: now }, now],
      ['transcriber 2, sanitiser 1', { madeBy: `transcriber 2, ${now}` }, `transcriber 2, ${now}`],
      [`${now} `, { madeBy: `staged elsewhere, ${now}` }, `staged elsewhere, ${now}`],
      [`x\n${now}`, { madeBy: `staged elsewhere, ${now}` }, `staged elsewhere, ${now}`],
    ] as const) {
      const folder = staged({ source: { madeBy: stamp } });
      const cache = join(folder, '../../..');
      const [mine] = await read(cache, { cache, named: false, allowRemovals: false, sanitiser });
      expect(mine?.sources[0]).toMatchObject(own);
      expect(mine?.sources[0]?.sanitised).toBe('sanitised' in own ? true : undefined);
      const [other] = await stagedBatches(folder);
      expect(other?.sources[0]).toMatchObject({ madeBy: named });
      expect(other?.sources[0]?.sanitised).toBeUndefined();
    }
  });

  const token = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(2).slice(0, 36)}`;
  it.each<[string, Partial<StagedSource>]>([
    ['the key of another project', { sourceKey: 'doc:p2/a.md' }],
    ['the key of another document', { sourceKey: 'doc:p1/b.md' }],
    ['the key of a session', { sourceKey: 'opencode:ses_1' }],
    ['the key of what an agent wrote', { sourceKey: 'drawer:1/drawer.md' }],
    ['a wing that leaves the folder', { wing: '../x' }],
    ['a staged path that leaves the cache', { sourceFile: '../../x' }],
    ['the hash of another text', { hash: '0'.repeat(64) }],
    ['another kind', { kind: 'conversation' }],
  ])('elsewhere, with %s, is not filed', async (_, source) => {
    const [batch] = await stagedBatches(staged({ source }));
    expect(batch?.sources).toEqual([]);
    expect(batch?.skipped).toHaveLength(2);
    expect(batch?.complete).toBeUndefined();
    expect(batch?.contained).toBeUndefined();
    expect(batch?.skipped).toMatchObject([{ problem: true }, { problem: true }]);
  });

  it('elsewhere cannot affect other projects, and its metadata are redacted', async () => {
    const [other] = await stagedBatches(staged({ batch: { complete: { project: 'p2', unread: [] } } }));
    expect(other?.sources).toHaveLength(2);
    expect(other?.complete).toBeUndefined();
    const [bare] = await stagedBatches(staged({ batch: { project: undefined } }));
    expect(bare?.sources).toEqual([]);
    const [told] = await stagedBatches(
      staged({
        source: { title: `T ${token}`, room: `r ${token}`, redacted: { x: 9 } },
        batch: { skipped: [{ origin: 'o', reason: 'r', detail: token }] },
      }),
    );
    expect(JSON.stringify(told)).not.toContain(token);
    expect(told?.sources[0]).toMatchObject({ title: 'T [REDACTED:github-token]' });
    expect(told?.sources[0]?.redacted).toBeUndefined();
  });

  it('never contains files outside it by links', async () => {
    const outside = temporaryFolder();
    writeFileSync(join(outside, 'b.md'), 'bbb');
    writeFileSync(join(outside, 'a.md'), 'aaa');
    const byFile = staged();
    rmSync(join(byFile, 'a.md'));
    symlinkSync(join(outside, 'a.md'), join(byFile, 'a.md'));
    const byFolder = staged();
    rmSync(join(byFolder, 'sub'), { recursive: true });
    symlinkSync(outside, join(byFolder, 'sub'));
    for (const folder of [byFile, byFolder]) {
      const [batch] = await stagedBatches(folder);
      expect(batch?.sources).toHaveLength(1);
      expect(batch?.skipped).toMatchObject([{ reason: 'staged file was changed', problem: true }]);
    }
  });

  it.each([['../a.md'], ['/etc/passwd'], ['sub/../../a.md'], ['./a.md'], ['a\0.md'], ['']])(
    'whose manifest names %j is none',
    async (path) => {
      expect(await stagedBatches(staged({ paths: () => path }))).toEqual([]);
    },
  );

  it('needs a manifest that is not broken, a folder or a link', async () => {
    const folder = staged();
    const file = join(folder, MANIFEST_NAME);
    const moved = join(temporaryFolder(), 'manifest.json');
    renameSync(file, moved);
    symlinkSync(moved, file);
    expect(await stagedBatches(folder)).toEqual([]);
    rmSync(file);
    mkdirSync(file);
    expect(await stagedBatches(folder)).toEqual([]);
    rmSync(file, { recursive: true });
    for (const text of ['', '{', '[]', '{"version":2,"sources":[],"skipped":[]}']) {
      writeFileSync(file, text, { mode: 0o600 });
      expect(await stagedBatches(folder)).toEqual([]);
    }
  });
});
