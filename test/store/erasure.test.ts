import { existsSync, readFileSync } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, vi } from 'vitest';
import { type Palace, palaceFile } from '../../src/store/index.js';
import { it } from '../support/it.js';
import { fileTexts, filingOf, hashOf, temporaryPalace, vectorOf } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';

/** Long enough for overflow pages, and hard to compress, so that its bytes are recognised anywhere. */
const SECRET = Array.from({ length: 400 }, (_, i) => hashOf(`secret ${i}`).toString('base64url')).join(' ');
const PIECE = deflateRawSync(SECRET);

/** Traces of the secret in the palace's files, in any stored form. */
function traces(palace: Palace): string[] {
  const file = palaceFile(palace.folder);
  const files = [file, `${file}-wal`].filter((path) => existsSync(path)).map((path) => readFileSync(path));
  const vector = vectorOf(SECRET);
  const forms: [string, Buffer][] = [
    ['text', Buffer.from(SECRET.slice(5_000, 5_030))],
    // The index stores words in lower case, each without the prefix that it shares with the previous one.
    [
      'term',
      Buffer.from(
        hashOf('secret 200')
          .toString('base64url')
          .toLowerCase()
          .replace(/[-_].*/s, '')
          .slice(4, 20),
      ),
    ],
    ['compressed text', PIECE.subarray(9_000, 9_024)],
    ['vector', Buffer.from(vector.buffer)],
    ['title', Buffer.from('A telling title')],
    ['message', deflateRawSync(JSON.stringify(['message-of-the-secret']))],
  ];
  return forms.filter(([, bytes]) => files.some((each) => each.includes(bytes))).map(([name]) => name);
}

function filled(): Palace {
  const palace = temporaryPalace();
  fileTexts(
    palace,
    'others',
    Array.from({ length: 60 }, (_, i) => `something else ${i} ${'filler '.repeat(30)}`),
  );
  palace.vectors.keep([{ hash: hashOf(SECRET), embedding: vectorOf(SECRET) }], palace.model);
  const filing = filingOf('secret', [SECRET], { title: 'A telling title' });
  const pieces = [{ hash: hashOf('piece'), body: PIECE }];
  palace.file({ ...filing, pieces, messages: ['message-of-the-secret'] }, { id: 1, now: '' });
  return palace;
}

describe('a text that is removed from the palace', () => {
  it('was there in all searched forms', () => {
    expect(traces(filled())).toEqual(['text', 'term', 'compressed text', 'vector', 'title', 'message']);
  });

  it('leaves nothing in the file, its free pages, the indexes or the log', () => {
    const palace = filled();
    palace.remove(palace.sources.byKey('secret')?.id ?? 0);
    palace.tidy();
    expect(traces(palace)).toEqual([]);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('leaves nothing when the source stays with other text', () => {
    const palace = filled();
    const filing = filingOf('secret', ['harmless'], { title: 'Harmless' });
    palace.vectors.keep([{ hash: hashOf('harmless'), embedding: vectorOf('harmless') }], palace.model);
    const pieces = [{ hash: hashOf('harmless'), body: deflateRawSync('harmless') }];
    palace.file({ ...filing, pieces }, { id: 1, now: '' });
    palace.tidy();
    expect(traces(palace)).toEqual([]);
  });

  it('leaves nothing after a large removal, and the rebuilt index is maintained', () => {
    const palace = filled();
    const crowd = Array.from({ length: 600 }, (_, i) => `crowd ${i}`);
    fileTexts(palace, 'crowd', crowd);
    const rebuild = vi.spyOn(palace.lexical, 'rebuildAfter');
    const gone = ['secret', 'crowd'].flatMap((key) => palace.sources.byKey(key) ?? []);
    expect(palace.removeAll(gone)).toBe(601);
    expect(rebuild).toHaveBeenCalledOnce();
    palace.tidy();
    expect(traces(palace)).toEqual([]);
    fileTexts(palace, 'crowd', crowd.slice(0, 40));
    expect(palace.removeAll(['others'].flatMap((key) => palace.sources.byKey(key) ?? []))).toBe(60);
    expect(rebuild).toHaveBeenCalledOnce();
    expect(palace.check({ full: true }).problems).toEqual([]);
    expect(palace.lexical.matchesRows()).toBe(true);
    expect(palace.lexical.size()).toBe(40);
  });

  it('leaves no vector that was never filed', ({ palace }) => {
    palace.vectors.keep([{ hash: hashOf(SECRET), embedding: vectorOf(SECRET) }], palace.model);
    expect(traces(palace)).toEqual(['vector']);
    palace.vectors.pending.dropUnfiled();
    palace.tidy();
    expect(traces(palace)).toEqual([]);
  });
});
