import { existsSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { AnnouncedSource } from '../../src/core/contract.js';
import { sha256 } from '../../src/core/hash.js';
import { markOf, projectId } from '../../src/core/project-id.js';
import { documentKey } from '../../src/core/source-key.js';
import { receivedBatch, Upload } from '../../src/miner/received.js';
import { createSanitiser } from '../../src/sanitiser/index.js';
import { temporaryFolder } from '../support/palace.js';

const mark = markOf('guest');
const project = { id: projectId('/p', null, 0, mark), root: '/p', rootCommit: null, folder: 'p' };
const head = { project, complete: { project: project.id, unread: [] } };

function announced(name: string, text: string, more: Partial<AnnouncedSource> = {}): AnnouncedSource {
  return {
    path: name,
    sourceKey: documentKey(project.id, name),
    sourceFile: `mempalace-docs/wing_p/p/${name}`,
    origin: `/p/${name}`,
    kind: 'document',
    wing: 'wing_p',
    room: 'general',
    mtimeMs: 1,
    bytes: Buffer.byteLength(text),
    hash: sha256(text),
    madeBy: 'sanitiser 1',
    ...more,
  };
}

/** The batch that the miner gets. @param texts by the name of the document */
async function batchOf(
  sources: AnnouncedSource[],
  texts: Record<string, string>,
  { as = mark, unsent = [] as string[], first = head } = {},
) {
  const upload = Upload.begin(temporaryFolder());
  upload.announce(0, first, sources.slice(0, 1));
  upload.announce(0, first, sources.slice(1));
  for (const [name, text] of Object.entries(texts)) {
    const bytes = Buffer.from(text);
    upload.add(documentKey(project.id, name), 0, bytes.subarray(0, 3));
    upload.add(documentKey(project.id, name), 3, bytes.subarray(3));
  }
  const [batch] = [...upload.batches()];
  const sanitiser = await createSanitiser({ redact: true, rules: [] });
  const options = { mark: as, sanitiser, unsent: new Set(unsent) };
  return receivedBatch(upload, batch?.head ?? head, batch?.sources ?? [], options);
}

it('takes what a feeder of that machine announced, with the texts that were sent', async () => {
  const [a, b] = [announced('a.md', 'The heron.'), announced('b.md', 'Filed before.')];
  const { sources, complete, skipped } = await batchOf([a, b], { 'a.md': 'The heron.' });
  expect([sources.map(({ origin }) => origin), complete, skipped]).toEqual([
    ['/p/a.md', '/p/b.md'],
    head.complete,
    [],
  ]);
  expect(sources[0]?.sanitised).toBeUndefined();
});

it.each<[string, AnnouncedSource, string]>([
  ['another hash', announced('a.md', 'The heron.', { hash: sha256('x') }), 'hash that is recorded'],
  ['a path that leads out', announced('a.md', 'The heron.', { path: '../a.md' }), 'staged path'],
  [
    'the key of another document',
    announced('a.md', 'x', { sourceKey: documentKey(project.id, 'c.md') }),
    'is not that of',
  ],
  [
    'the key of a text that an agent wrote',
    announced('a.md', 'x', { sourceKey: 'drawer:1/drawer.md' }),
    'is not that of',
  ],
])('leaves out a source with %s, and then removes nothing', async (_, source, detail) => {
  const { sources, complete, skipped } = await batchOf([source, announced('b.md', 'b')], {
    'a.md': 'The heron.',
  });
  expect([sources.length, complete]).toEqual([1, undefined]);
  expect(skipped).toEqual([
    expect.objectContaining({ problem: true, detail: expect.stringContaining(detail) }),
  ]);
});

it('takes no project of another machine', async () => {
  const own = {
    project: { ...project, id: 'abcdefabcdef' },
    complete: { project: 'abcdefabcdef', unread: [] },
  };
  for (const given of [{ as: markOf('other') }, { first: own }]) {
    const { sources, complete, project: taken } = await batchOf([announced('a.md', 'x')], {}, given);
    expect([sources, complete, taken]).toEqual([[], undefined, undefined]);
  }
});

it('removes nothing where texts did not come in time', async () => {
  const [a, b] = [announced('a.md', 'a'), announced('b.md', 'b')];
  const { sources, complete } = await batchOf([a, b], {}, { unsent: [b.sourceKey] });
  expect([sources.map(({ sourceKey }) => sourceKey), complete]).toEqual([[a.sourceKey], undefined]);
});

it('a part that does not follow what came before is refused', () => {
  const upload = Upload.begin(temporaryFolder());
  upload.add('k', 0, Buffer.from('abc'));
  expect(() => upload.add('k', 4, Buffer.from('e'))).toThrow('a part of a text is missing');
  // Begins again.
  upload.add('k', 0, Buffer.from('x'));
  upload.add('k', 1, Buffer.from('y'));
});

it('an upload that was left is removed a day later; one that has gone is named', () => {
  const palace = temporaryFolder();
  const left = Upload.begin(palace);
  const open = Upload.begin(palace);
  const day = Date.now() - 25 * 3_600_000;
  utimesSync(left.folder, day / 1000, day / 1000);
  Upload.begin(palace);
  expect([existsSync(left.folder), existsSync(open.folder)]).toEqual([false, true]);
  open.remove();
  expect(() => Upload.of(palace, open.id)).toThrow('not there any more');
  expect(existsSync(join(palace, 'received'))).toBe(true);
});
