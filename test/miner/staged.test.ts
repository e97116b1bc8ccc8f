import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Batch } from '../../src/common/contract.js';
import { MANIFEST_NAME } from '../../src/common/manifest.js';
import { stagedBatches } from '../../src/miner/staged.js';
import { temporaryFolder } from '../support/palace.js';
import { documentBatch } from '../support/staged.js';

/** A staging folder with two documents and what a feeder writes beside them. */
function staged(changes: { paths?: (path: string) => string; batch?: Partial<Batch> } = {}): string {
  const cache = temporaryFolder();
  const batch = documentBatch(cache, { 'a.md': 'aaa', 'sub/b.md': 'bbb' });
  const folder = join(cache, 'wing_a', 'p1');
  const paths = changes.paths ?? ((path: string) => path);
  const manifest = {
    version: 1,
    ...batch,
    contained: [{ sourceKey: 'opencode:f', standsIn: ['opencode:o'] }],
    ...changes.batch,
    sources: batch.sources.map((source) => ({
      ...source,
      path: paths(source.path.slice(folder.length + 1)),
      fingerprint: 'x',
    })),
  };
  writeFileSync(join(folder, MANIFEST_NAME), JSON.stringify(manifest), { mode: 0o600 });
  chmodSync(folder, 0o700);
  return folder;
}

describe('a staging folder', () => {
  it('gives back its batch, wherever it lies now', async () => {
    const folder = staged();
    const moved = join(temporaryFolder(), 'elsewhere');
    renameSync(folder, moved);
    const [batch, ...rest] = await stagedBatches(join(moved, '..'));
    expect(rest).toEqual([]);
    expect(batch?.sources.map(({ path }) => path)).toEqual([join(moved, 'a.md'), join(moved, 'sub/b.md')]);
    expect(batch).toMatchObject({ complete: { project: 'p1' }, contained: [{ sourceKey: 'opencode:f' }] });
  });

  it('with a file missing or changed says nothing of what is gone', async () => {
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

  it.skipIf(process.getuid === undefined)('is not what came with a repository', async () => {
    const folder = staged();
    for (const [path, open, closed] of [
      [folder, 0o755, 0o700],
      [join(folder, MANIFEST_NAME), 0o644, 0o600],
    ] as const) {
      chmodSync(path, open);
      expect(await stagedBatches(folder)).toEqual([]);
      chmodSync(path, closed);
    }
    expect(await stagedBatches(folder)).toHaveLength(1);
  });

  it('never leads out of itself by links', async () => {
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

  it('is not made by a manifest that is broken, a folder or a link', async () => {
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
