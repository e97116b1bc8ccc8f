import { mkdtempSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MANIFEST_NAME } from '../../../src/core/contract.js';
import { ReadAhead } from '../../../src/feeders/staging/read-staged.js';
import { removeFolder } from '../../support/cleanups.js';

/** Writes a manifest as `Staging.save` does: to a new file, which is renamed. */
function writeManifest(folder: string, origin: string): void {
  const temporary = join(folder, 'new');
  writeFileSync(
    temporary,
    JSON.stringify({ version: 1, sources: [], skipped: [{ origin, reason: 'no messages' }] }),
  );
  renameSync(temporary, join(folder, MANIFEST_NAME));
}

it('a manifest that was replaced after it was read ahead is read again', () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-ahead-'));
  onTestFinished(() => removeFolder(folder));
  const manifests = new ReadAhead();
  expect(manifests.read(folder)).toBeUndefined();
  expect(manifests.take(folder)).toBeUndefined();

  writeManifest(folder, 'one');
  const read = manifests.read(folder);
  expect(manifests.take(folder)).toBe(read);
  expect(manifests.take(folder)).toEqual(read);

  manifests.read(folder);
  writeManifest(folder, 'two');
  expect(manifests.take(folder)?.skipped).toEqual([{ origin: 'two', reason: 'no messages' }]);
});
