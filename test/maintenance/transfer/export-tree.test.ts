import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exportTree } from '../../../src/maintenance/transfer/export-tree.js';
import { it } from '../../support/it.js';
import { fileTexts, temporaryFolder } from '../../support/palace.js';

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(item.parentPath, item.name).slice(folder.length + 1))
    .sort();

/** A process that has ended. */
const NOBODY = 2 ** 22 + 1;

it('continues a killed export, and writes nothing twice', async ({ palace }) => {
  for (const name of ['a', 'b', 'c']) fileTexts(palace, `${name}.md`, [`text of ${name}`]);
  const folder = join(temporaryFolder(), 'tree');
  const killed = join(temporaryFolder(), 'killed');
  await exportTree({
    palace,
    folder,
    onProgress: (done) => {
      if (done === 2) cpSync(folder, killed, { recursive: true });
    },
  });
  expect(filesIn(killed)).toHaveLength(3);
  writeFileSync(join(killed, `wing_a/general/.mempalace-tmp-${NOBODY}`), 'half of');
  await exportTree({ palace, folder: killed });
  expect(filesIn(killed)).toEqual(filesIn(folder));
});

it('does not change the files of another wing with the same folder', async ({ palace }) => {
  fileTexts(palace, 'colon.md', ['one'], { wing: 'a:b' });
  fileTexts(palace, 'question.md', ['two'], { wing: 'a?b' });
  const folder = join(temporaryFolder(), 'tree');
  await exportTree({ palace, folder });
  const files = filesIn(folder);
  expect(files).toHaveLength(3);
  expect(await exportTree({ palace, folder, wing: 'a:b' })).toMatchObject({ written: 1, removed: 0 });
  expect(filesIn(folder)).toEqual(files);
  const source = palace.sources.byKey('question.md');
  palace.remove(source?.id ?? 0);
  expect(await exportTree({ palace, folder, wing: 'a:b' })).toMatchObject({ written: 1, removed: 1 });
  expect(readFileSync(join(folder, 'a_b/general/colon.md'), 'utf8')).toContain('wing: a:b');
});

it('writes nothing through a link or a file that has the name of a folder', async ({ palace }) => {
  fileTexts(palace, 'a.md', ['text']);
  const elsewhere = temporaryFolder();
  for (const put of [
    (path: string) => writeFileSync(path, 'mine'),
    (path: string) => symlinkSync(elsewhere, path),
  ]) {
    const folder = temporaryFolder();
    put(join(folder, 'wing_a'));
    await expect(exportTree({ palace, folder })).rejects.toMatchObject({ code: 'failed' });
  }
  expect(readdirSync(elsewhere)).toEqual([]);
});
