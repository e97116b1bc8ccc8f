import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Batch, StagedSource } from '../../src/core/contract.js';
import { UserError } from '../../src/core/errors.js';
import { textKey } from '../../src/embedding/index.js';
import type { MineOptions } from '../../src/miner/mining.js';
import { drawerIds } from '../support/drawers.js';
import { countingEmbedder } from '../support/embedder.js';
import { it as filing } from '../support/it.js';
import { mined } from '../support/mining.js';
import { temporaryFolder, temporaryPalace, vectorOf } from '../support/palace.js';
import { problemsIn } from '../support/soundness.js';
import { conversation, documentBatch, type Exchange } from '../support/staged.js';

const sessions = (...sources: StagedSource[]): Batch => ({ sources, skipped: [] });
const exchange = (n: number): Exchange => ({
  id: `m${n}`,
  question: `Question ${n}: why does step ${n} fail?`,
  answer: `Answer ${n}: because the cache of step ${n} is stale.`,
});
const paragraphs = (count: number) =>
  Array.from(
    { length: count },
    (_, i) => `## Part ${i}\n\nParagraph ${i} tells ${'something '.repeat(60)}${i}.\n`,
  ).join('\n');

const INNER = { id: 'inner', root: '/somewhere/p1/sub', rootCommit: null, folder: 'sub' };

/** Besides, documents and sessions that are staged in the folder; `docs` files documents. */
const it = filing
  .extend(
    'batchOf',
    ({ folder }) =>
      (...staged: Staged<typeof documentBatch>) =>
        documentBatch(folder, ...staged),
  )
  .extend(
    'talk',
    ({ folder }) =>
      (...staged: Staged<typeof conversation>) =>
        conversation(folder, ...staged),
  )
  .extend(
    'docs',
    ({ palace, batchOf }) =>
      (...staged: Staged<typeof documentBatch>) =>
        mined(palace, batchOf(...staged)),
  );
type Staged<Stage> = Stage extends (folder: string, ...staged: infer Rest) => unknown ? Rest : never;

describe('documents', () => {
  it('are filed whole, and only once', async ({ palace, batchOf }) => {
    const text = paragraphs(6);
    const batch = batchOf({ 'docs/a.md': text, 'b.txt': 'short' });
    const first = await mined(palace, batch);
    expect(first).toMatchObject({ new: 2, changed: 0, unchanged: 0 });
    const filed = palace.sources.byKey('doc:p1/docs/a.md');
    expect(palace.drawers.textsOf(filed?.id ?? 0).join('')).toBe(text);
    expect(palace.sources.textOf(filed?.id ?? 0)).toBe(text);
    expect(await mined(palace, batch)).toMatchObject({ new: 0, unchanged: 2, drawersAdded: 0, texts: [] });
  });

  it('that changed embed only the change', async ({ palace, docs }) => {
    const text = paragraphs(30);
    const before = await docs({ 'a.md': text });
    const edited = text.replace('Paragraph 15 tells', 'Paragraph 15 now tells');
    const after = await docs({ 'a.md': edited });
    expect(after).toMatchObject({ changed: 1, drawersTotal: before.drawersTotal });
    expect(after.texts.length).toBeLessThanOrEqual(3);
    expect(palace.drawers.textsOf(palace.sources.byKey('doc:p1/a.md')?.id ?? 0).join('')).toBe(edited);
  });

  it('that were renamed, copied or moved to another project embed nothing', async ({ docs }) => {
    const text = paragraphs(5);
    await docs({ 'a.md': text });
    expect(await docs({ 'b.md': text })).toMatchObject({ new: 1, removed: 1, texts: [] });
    const other = { id: 'p2', root: '/elsewhere', rootCommit: null, folder: 'p2' };
    expect(await docs({ 'b.md': text }, { project: other })).toMatchObject({ new: 1, removed: 0, texts: [] });
  });

  it('whose text moves from one file to another embed nothing', async ({ docs }) => {
    await docs({ 'a.md': '# One\n\nwandering text\n', 'b.md': 'stays' });
    const after = await docs({ 'a.md': 'stays', 'b.md': '# One\n\nwandering text\n' });
    expect(after).toMatchObject({ changed: 2, texts: [] });
  });

  it('move to another wing without duplicates, and keep their drawers', async ({ palace, docs }) => {
    await docs({ 'a.md': paragraphs(3) });
    const ids = drawerIds(palace, palace.sources.byKey('doc:p1/a.md')?.id ?? 0);
    const moved = await docs({ 'a.md': paragraphs(3) }, { wing: 'wing_b' });
    expect(moved).toMatchObject({ new: 0, changed: 0, unchanged: 1, moved: 1, drawersAdded: 0 });
    expect(palace.rooms()).toEqual([{ wing: 'wing_b', room: 'general', sources: 1, drawers: ids.length }]);
    expect(drawerIds(palace, palace.sources.byKey('doc:p1/a.md')?.id ?? 0)).toEqual(ids);
  });
});

describe('removal', () => {
  const many = (count: number, from = 0) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, i) => [`d${i + from}.md`, `document number ${i + from}`]),
    );

  it('follows only a complete batch', async ({ docs }) => {
    await docs({ 'a.md': 'aaa', 'b.md': 'bbb' });
    expect(await docs({ 'a.md': 'aaa' }, { complete: false })).toMatchObject({ removed: 0 });
    expect(await docs({ 'a.md': 'aaa' })).toMatchObject({ removed: 1, drawersTotal: 1 });
  });

  it('excludes folders that could not be read or were not surveyed', async ({ palace, docs }) => {
    await docs({ 'a.md': 'aaa', 'x/b.md': 'bbb', 'y/c.md': 'ccc', 'yy/d.md': 'ddd' });
    const unread = { complete: { project: 'p1', unread: ['x'] } };
    expect(await docs({ 'a.md': 'aaa', 'y/c.md': 'ccc', 'yy/d.md': 'ddd' }, { batch: unread })).toMatchObject(
      { removed: 0 },
    );
    const part = { complete: { project: 'p1', unread: [], folder: 'y' } };
    expect(await docs({ 'y/e.md': 'eee' }, { batch: part })).toMatchObject({ removed: 1, new: 1 });
    expect(palace.sources.ofProject('p1').map((source) => source.sourceKey)).toEqual([
      'doc:p1/a.md',
      'doc:p1/x/b.md',
      'doc:p1/y/e.md',
      'doc:p1/yy/d.md',
    ]);
  });

  it('of most or all of a project is held back unless allowed', async ({ palace, batchOf, docs }) => {
    await docs(many(40));
    const held = await docs(many(19));
    expect(held).toMatchObject({ removed: 0, drawersTotal: 40 });
    expect(held.problems).toMatchObject([{ reason: 'removals held back', problem: true }]);
    expect(await docs(many(20))).toMatchObject({ removed: 20, problems: [] });
    expect(await docs({})).toMatchObject({ removed: 0, drawersTotal: 20 });
    expect(await mined(palace, batchOf({}), { allowRemovals: true })).toMatchObject({
      removed: 20,
      drawersTotal: 0,
    });
    expect(palace.projects.all()).toEqual([]);
  });

  it('does not count a renamed folder as a loss', async ({ docs }) => {
    await docs(many(40));
    const renamed = Object.fromEntries(Object.entries(many(40)).map(([name, text]) => [`new/${name}`, text]));
    expect(await docs(renamed)).toMatchObject({ new: 40, removed: 40, problems: [], texts: [] });
  });

  it('absorbs a project that was filed from inside another', async ({ palace, batchOf, docs }) => {
    await docs({ 'a.md': 'aaa' }, { project: INNER });
    const whole = batchOf(
      { 'sub/a.md': 'aaa', 'b.md': 'bbb' },
      { batch: { complete: { project: 'p1', unread: [], absorbs: ['inner'] } } },
    );
    expect(await mined(palace, whole)).toMatchObject({ new: 2, removed: 1, drawersTotal: 2, texts: ['bbb'] });
    expect(palace.projects.all().map((project) => project.id)).toEqual(['p1']);
  });

  it('moves a folder that became its own project out of the outer one', async ({ palace, batchOf, docs }) => {
    await docs({ 'a.md': 'aaa', 'sub/b.md': 'bbb', 'sub/c.md': 'ccc' });
    const own = batchOf({ 'b.md': 'bbb', 'c.md': 'ccc' }, { project: INNER });
    expect(await mined(palace, own)).toMatchObject({ new: 2, removed: 2, drawersTotal: 3, texts: [] });
    expect(palace.sources.ofProject('p1').map((source) => source.sourceKey)).toEqual(['doc:p1/a.md']);
  });

  it('does not move documents that the inner project could not file', async ({ palace, batchOf, docs }) => {
    await docs({ 'sub/b.md': 'bbb', 'sub/c.md': 'ccc' });
    const own = batchOf({ 'b.md': 'bbb', 'c.md': 'ccc' }, { project: INNER });
    rmSync(own.sources[0]?.path ?? '');
    expect(await mined(palace, own)).toMatchObject({ new: 1, removed: 1, drawersTotal: 2 });
    expect(palace.sources.ofProject('p1').map((source) => source.sourceKey)).toEqual(['doc:p1/sub/b.md']);
  });

  it('does not follow a run that was limited', async ({ palace, batchOf, docs }) => {
    await docs(many(3));
    expect(await mined(palace, batchOf(many(3, 2)), { limit: 1 })).toMatchObject({
      new: 1,
      removed: 0,
      drawersTotal: 4,
    });
  });
});

describe('conversations', () => {
  it('that grew by one exchange embed one exchange', async ({ palace, talk }) => {
    const three = [exchange(1), exchange(2), exchange(3)];
    await mined(palace, sessions(talk('s1', three)));
    const grown = talk('s1', [...three, exchange(4)], { mtimeMs: 1_700_000_009_000 });
    const after = await mined(palace, sessions(grown));
    expect(after).toMatchObject({ changed: 1, drawersAdded: 1, drawersRemoved: 0 });
    expect(after.texts).toHaveLength(1);
    expect(after.texts[0]).toContain('Question 4');
  });

  it('are unchanged if only their name or path in the cache changes', async ({ palace, talk }) => {
    const source = talk('s1', [exchange(1)]);
    await mined(palace, sessions(source));
    const renamed = { ...source, sourceFile: 'mempalace-session/wing_conversations/other_s1.jsonl' };
    expect(await mined(palace, sessions(renamed))).toMatchObject({
      changed: 0,
      unchanged: 1,
      moved: 0,
      texts: [],
    });
    expect(palace.sources.byKey('opencode:s1')?.sourceFile).toBe(renamed.sourceFile);
  });

  it('that are missing from a batch stay', async ({ palace }) => {
    await mined(palace, sessions(conversation(temporaryFolder(), 's1', [exchange(1)])));
    expect(await mined(palace, sessions())).toMatchObject({ removed: 0, drawersTotal: 1 });
  });

  describe('that lack filed messages', () => {
    const filedThree = async () => {
      const palace = temporaryPalace();
      const folder = temporaryFolder();
      await mined(palace, sessions(conversation(folder, 's1', [exchange(1), exchange(2), exchange(3)])));
      const shorter = (changes: Partial<StagedSource>) =>
        sessions(conversation(folder, 's1', [exchange(1)], changes));
      return { palace, folder, shorter };
    };

    it.each<[string, Partial<StagedSource>]>([
      ['newer', { mtimeMs: 1_700_000_009_000 }],
      ['of the same time', {}],
      ['older', { mtimeMs: 1_600_000_000_000 }],
      ['newer and were not read whole', { mtimeMs: 1_700_000_009_000, unparsedRows: 2 }],
      ['newer and lack rows that were left out', { mtimeMs: 1_700_000_009_000, leftOutRows: 1 }],
    ])('keep them if they are %s', async (_, changes) => {
      const { palace, shorter } = await filedThree();
      const kept = await mined(palace, shorter(changes));
      expect(kept).toMatchObject({ changed: 1, drawersAdded: 0, drawersTotal: 3, problems: [], texts: [] });
      expect(kept.lost).toEqual([{ origin: 'opencode://s1', messages: 4 }]);
      expect(await mined(palace, shorter(changes))).toMatchObject({ unchanged: 1, lost: [] });
    });

    it('lose those that the program names as undone', async () => {
      const { palace, shorter } = await filedThree();
      const undone = await mined(palace, shorter({ leftOut: ['m2q', 'm2a', 'm3q', 'm3a'] }));
      expect(undone).toMatchObject({ changed: 1, drawersTotal: 1, lost: [] });
    });

    it('are accepted if the session that contains them is filed', async () => {
      const { palace, folder, shorter } = await filedThree();
      const leans = { standsIn: ['opencode:s0'], leftOut: ['m2q', 'm2a', 'm3q', 'm3a'] };
      expect((await mined(palace, shorter(leans))).problems).toHaveLength(1);
      const original = conversation(folder, 's0', [exchange(2), exchange(3)]);
      const fork = shorter(leans).sources;
      const after = await mined(palace, sessions(...fork, original));
      expect(after).toMatchObject({ new: 1, changed: 1, problems: [] });
    });
  });

  it('that others contain entirely are removed after those are filed', async ({ palace, talk }) => {
    await mined(palace, sessions(talk('fork', [exchange(1)])));
    const contained = [{ sourceKey: 'opencode:fork', standsIn: ['opencode:original'] }];
    expect(await mined(palace, { sources: [], skipped: [], contained })).toMatchObject({ removed: 0 });
    const original = talk('original', [exchange(1)]);
    const after = await mined(palace, { sources: [original], skipped: [], contained });
    expect(after).toMatchObject({ new: 1, removed: 1, texts: [expect.stringContaining('original')] });
    expect(palace.sources.byKey('opencode:fork')).toBeUndefined();
  });
});

describe('a run that stops early', () => {
  const documents = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [
      `d${String(i).padStart(2, '0')}.md`,
      paragraphs(20).replaceAll('something', `thing${i}`),
    ]),
  );

  it('because the embedder fails: files all text, and the next run embeds only the rest', async ({
    palace,
    batchOf,
  }) => {
    const batch = batchOf(documents);
    const failing = countingEmbedder((call) => {
      if (call === 2) throw new Error('out of memory');
    });
    await expect(mined(palace, batch, { counting: failing })).rejects.toThrow('out of memory');
    expect(problemsIn(palace)).toEqual([]);
    expect(palace.sources.ofProject('p1')).toHaveLength(40);
    const resumed = await mined(palace, batch);
    const total = resumed.texts.length + failing.texts.length;
    expect(failing.texts.length).toBeGreaterThan(0);
    expect(total).toBe(new Set([...resumed.texts, ...failing.texts]).size);
    expect(resumed.drawersTotal).toBe((await mined(temporaryPalace(), batch)).drawersTotal);
  });

  it('because it is interrupted: filed sources stay, and the next run embeds what is left', async ({
    palace,
    batchOf,
  }) => {
    const batch = batchOf(documents);
    const controller = new AbortController();
    const aborting = countingEmbedder((call) => {
      if (call === 2) controller.abort(new UserError('interrupted', 'interrupted'));
      controller.signal.throwIfAborted();
    });
    await expect(mined(palace, batch, { counting: aborting, signal: controller.signal })).rejects.toThrow(
      'interrupted',
    );
    expect(palace.vectors.coverage().pending).toBeGreaterThan(0);
    const resumed = await mined(palace, batch);
    expect(resumed).toMatchObject({ new: 0, unchanged: 40 });
    const texts = [...aborting.texts, ...resumed.texts];
    expect(new Set(texts).size).toBe(texts.length);
    expect(palace.vectors.coverage()).toMatchObject({ texts: texts.length, pending: 0 });
  });
});

describe('vectors that come later', () => {
  const documents = { 'a.md': paragraphs(6), 'b.md': paragraphs(3).replaceAll('something', 'another') };

  it('are not waited for: text is found by words before the embedder has answered', async ({
    palace,
    batchOf,
  }) => {
    const seen: unknown[] = [];
    const looking = countingEmbedder(() => {
      seen.push(
        palace.sources.ofProject('p1').length,
        palace.lexical.candidates({ words: ['another'] }, 99).length,
      );
    });
    await mined(palace, batchOf(documents), { counting: looking });
    expect(seen).toEqual([2, 3]);
  });

  it('do not slow down a large run: the embedder starts when all text is filed', async ({
    palace,
    batchOf,
  }) => {
    const { sources, ...batch } = batchOf({
      // More than a wave, so that a smaller run embeds it meanwhile.
      'a.md': paragraphs(600),
      ...Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`b${i}.md`, `Text ${i}.`])),
    });
    const filedAtStart = async (bytes: number) => {
      let filed: number | undefined;
      const embedder = async () => {
        filed ??= palace.sources.ofProject('p1').length;
        return countingEmbedder();
      };
      palace.removeAll(palace.sources.ofProject('p1'));
      palace.tidy();
      const large = { ...batch, sources: sources.map((source) => ({ ...source, bytes })) };
      await mined(palace, large, { embedder });
      return filed;
    };
    expect(await filedAtStart(1_000)).toBeLessThan(201);
    expect(await filedAtStart(100_000)).toBe(201);
  });

  it('do not stop a run that removes and files, even if the embedder never starts', async ({
    palace,
    batchOf,
    docs,
  }) => {
    await docs({ 'old.md': 'old text' });
    const embedder = () => Promise.reject(new UserError('not-found', 'no model'));
    await expect(mined(palace, batchOf(documents), { embedder })).rejects.toThrow('no model');
    expect(palace.sources.ofProject('p1').map(({ sourceKey }) => sourceKey)).toEqual([
      'doc:p1/a.md',
      'doc:p1/b.md',
    ]);
    expect(problemsIn(palace)).toEqual([]);
    const { texts } = await docs(documents);
    expect(palace.vectors.coverage()).toEqual({ texts: texts.length, pending: 0, percent: 100 });
  });

  it('are used if a killed run of an earlier version has stored them before their source', async ({
    batchOf,
  }) => {
    const batch = batchOf(documents);
    const { texts } = await mined(temporaryPalace(), batch);
    const palace = temporaryPalace();
    const known = texts.filter((_, index) => index % 2 === 0);
    palace.vectors.keep(
      known.map((text) => ({ hash: textKey(text), embedding: vectorOf(text) })),
      palace.model,
    );
    const rest = await mined(palace, batch);
    expect(rest.texts).toEqual(texts.filter((_, index) => index % 2 === 1));
    expect(palace.vectors.coverage()).toEqual({ texts: texts.length, pending: 0, percent: 100 });
  });

  it('come with the next run of any feeder, even one with nothing to file', async ({ palace, batchOf }) => {
    const embedder = () => Promise.reject(new UserError('not-found', 'no model'));
    await expect(mined(palace, batchOf(documents), { embedder })).rejects.toThrow('no model');
    const progress: number[] = [];
    const onProgress: MineOptions['onProgress'] = ({ bytes, bytesTotal }) =>
      progress.push(bytes / bytesTotal);
    const { texts } = await mined(palace, sessions(), { onProgress });
    expect(texts.length).toBeGreaterThan(5);
    expect(progress[0]).toBeLessThan(0.02);
    expect(progress.at(-1)).toBe(1);
    expect((await mined(palace, sessions())).texts).toEqual([]);
  });
});

describe('other cases', () => {
  it('a missing staged file is a problem of only that source', async ({ palace, batchOf }) => {
    const batch = batchOf({ 'a.md': 'aaa', 'b.md': 'bbb' });
    rmSync(batch.sources[0]?.path ?? '');
    const result = await mined(palace, batch);
    expect(result).toMatchObject({ new: 1, drawersTotal: 1 });
    expect(result.problems).toMatchObject([{ reason: 'unreadable', problem: true }]);
  });

  it('--force embeds everything again and duplicates nothing', async ({ palace, batchOf }) => {
    const batch = batchOf({ 'a.md': paragraphs(4), 'b.md': paragraphs(4) });
    const first = await mined(palace, batch);
    const again = await mined(palace, batch, { force: true });
    expect(again).toMatchObject({ new: 0, changed: 2, drawersAdded: 0, drawersRemoved: 0 });
    expect(again.texts).toHaveLength(first.texts.length);
    expect(again.drawersTotal).toBe(first.drawersTotal);
  });

  it('a new version of the chunker or sanitiser files a source again', async ({ palace, batchOf }) => {
    const batch = batchOf({ 'a.md': 'aaa' });
    await mined(palace, batch);
    const later = {
      ...batch,
      sources: batch.sources.map((source) => ({ ...source, madeBy: 'sanitiser 2' })),
    };
    expect(await mined(palace, later)).toMatchObject({ changed: 1, drawersAdded: 0, texts: [] });
  });

  it('a corrupt source in the middle does not stop the others', async ({ palace, folder, talk }) => {
    const broken = { ...talk('s1', [exchange(1)]), path: join(folder, 'missing.jsonl') };
    const fine = talk('s2', [exchange(2)]);
    expect(await mined(palace, sessions(broken, fine))).toMatchObject({ new: 1 });
  });
});

describe('a batch that could not be filed completely', () => {
  const lost = (source: StagedSource): StagedSource => ({ ...source, path: `${source.path}.gone` });

  it('removes nothing: a missing document may be the failed one under its former name', async ({
    palace,
    batchOf,
    docs,
  }) => {
    await docs({ 'a.md': 'the text', 'b.md': 'bbb' });
    const renamed = batchOf({ 'new.md': 'the text', 'b.md': 'bbb' });
    const broken = { ...renamed, sources: renamed.sources.map((s, i) => (i === 0 ? lost(s) : s)) };
    const after = await mined(palace, broken, { allowRemovals: true });
    expect(after).toMatchObject({ new: 0, removed: 0, drawersTotal: 2 });
    expect(after.problems.map(({ reason }) => reason)).toEqual(['unreadable', 'removals held back']);
    expect(await mined(palace, renamed)).toMatchObject({ new: 1, removed: 1, problems: [] });
  });

  it('keeps documents of an absorbed project that could not be read or were not surveyed', async ({
    palace,
    batchOf,
    docs,
  }) => {
    await docs({ 'a.md': 'aaa', 'x/b.md': 'bbb' }, { project: INNER });
    const absorbing = (complete: Partial<Batch['complete']>): Partial<Batch> => ({
      complete: { project: 'p1', unread: [], absorbs: ['inner'], ...complete },
    });
    const unread = batchOf({ 'sub/a.md': 'aaa' }, { batch: absorbing({ unread: ['sub/x'] }) });
    expect(await mined(palace, unread)).toMatchObject({ new: 1, removed: 1 });
    expect(palace.sources.ofProject('inner').map((s) => s.sourceKey)).toEqual(['doc:inner/x/b.md']);
    const part = batchOf({ 'sub/y.md': 'yyy' }, { batch: absorbing({ folder: 'sub/y.md' }) });
    expect(await mined(palace, part)).toMatchObject({ removed: 0 });
    expect(await docs({ 'sub/x/b.md': 'bbb', 'sub/a.md': 'aaa' }, { batch: absorbing({}) })).toMatchObject({
      new: 1,
      removed: 2,
    });
    expect(palace.projects.all().map(({ id }) => id)).toEqual(['p1']);
  });

  it('absorbs only projects below its root', async ({ docs }) => {
    const other = { id: 'other', root: '/elsewhere', rootCommit: null, folder: 'other' };
    await docs({ 'a.md': 'aaa' }, { project: other });
    const complete = { project: 'p1', unread: [], absorbs: ['other'] };
    expect(await docs({ 'b.md': 'bbb' }, { batch: { complete } })).toMatchObject({ removed: 0 });
  });

  it('leaves a fork its own copy until the current form of the original is filed', async ({
    palace,
    talk,
  }) => {
    const full = [exchange(1), exchange(2), exchange(3)];
    const copied = full.map((each) => ({ ...each, id: `f${each.id}` }));
    const later = { mtimeMs: 1_700_000_009_000 };
    await mined(palace, sessions(talk('o', [exchange(1)]), talk('f', copied)));
    const grown = lost(talk('o', full, later));
    const own = { id: 'f9', question: 'And then?', answer: 'Something of its own.' };
    const fork = talk('f', [own], { ...later, standsIn: ['opencode:o'] });
    // The fork is listed first, and in another batch.
    const held = await mined(palace, [sessions(fork), sessions(grown)]);
    expect(held).toMatchObject({ changed: 0, drawersTotal: 4 });
    expect(held.problems.map(({ reason }) => reason)).toEqual(['unreadable', 'held back']);
    const contained = [{ sourceKey: 'opencode:f', standsIn: ['opencode:o'] }];
    expect(await mined(palace, { ...sessions(grown), contained })).toMatchObject({
      removed: 0,
      drawersTotal: 4,
    });
    const readable = talk('o', full, later);
    const after = await mined(palace, [sessions(fork), sessions(readable)]);
    expect(after).toMatchObject({ changed: 2, drawersTotal: 4, problems: [] });
  });

  it('files a fork after all its originals, for any length of the chain', async ({ palace, talk }) => {
    const chain = [3, 2, 1].map((n) =>
      talk(`s${n}`, [exchange(n)], n > 1 ? { standsIn: [`opencode:s${n - 1}`] } : {}),
    );
    const counting = countingEmbedder();
    await mined(
      palace,
      chain.map((source) => sessions(source)),
      { counting },
    );
    expect(counting.texts.map((text) => /About (s\d)/.exec(text)?.[1])).toEqual(['s1', 's2', 's3']);
  });
});

describe('a document whose file has another time', () => {
  const at = (batch: Batch, day: string): Batch => ({
    ...batch,
    sources: batch.sources.map((source) => ({ ...source, mtimeMs: Date.parse(`${day}T12:00:00`) })),
  });

  it('has another date if the file gives it; nothing is embedded', async ({ palace, batchOf }) => {
    const batch = batchOf({
      'a.md': '# A\n\nplain\n',
      'b.md': '---\ndate: 2025-01-01\n---\n# B\n\nsays when\n',
      '2025-01-01-c.md': '# C\n\nis named so\n',
    });
    const of = (day: string) =>
      palace.reading
        .sourcesOfDay({ day }, 0, 9)
        .sources.map(({ title }) => title)
        .sort();
    await mined(palace, at(batch, '2025-01-01'));
    expect(of('2025-01-01')).toEqual(['A', 'B', 'C']);
    for (const day of ['2026-03-04', '2024-02-03']) {
      expect(await mined(palace, at(batch, day))).toMatchObject({
        unchanged: 3,
        embedded: 0,
        drawersAdded: 0,
      });
      expect([of(day), of('2025-01-01')]).toEqual([['A'], ['B', 'C']]);
    }
  });
});

describe('several batches', () => {
  it('of one project remove nothing that one of them lists, and file a source once', async ({
    palace,
    batchOf,
  }) => {
    const old = batchOf({ 'a.md': 'old text', 'b.md': 'bbb' });
    const now = batchOf({ 'a.md': 'new text', 'c.md': 'ccc' }, { wing: 'wing_b' });
    const newer = { ...now, sources: now.sources.map((s) => ({ ...s, mtimeMs: s.mtimeMs + 1000 })) };
    for (const expected of [
      { new: 3, changed: 0 },
      { new: 0, changed: 0, unchanged: 3 },
    ]) {
      const result = await mined(palace, [old, newer]);
      expect(result).toMatchObject({ ...expected, removed: 0, drawersTotal: 3 });
      expect(result.problems).toMatchObject([{ reason: 'listed twice' }]);
    }
    expect(palace.drawers.textsOf(palace.sources.byKey('doc:p1/a.md')?.id ?? 0)).toEqual(['new text']);
  });

  it('do not remove a session as contained that one of them lists', async ({ palace, talk }) => {
    const [original, fork] = ['o', 'f'].map((id) => talk(id, [exchange(1)]));
    if (original === undefined || fork === undefined) throw new Error('no sessions');
    const contained = [{ sourceKey: 'opencode:f', standsIn: ['opencode:o'] }];
    expect(await mined(palace, [{ ...sessions(original), contained }, sessions(fork)])).toMatchObject({
      new: 2,
      removed: 0,
    });
  });
});

describe('a transcript', () => {
  it('with an unreadable row still grows if no text is lost', async ({ palace, talk }) => {
    const began = { id: 'm2', question: 'Why?', answer: 'Because the cache' };
    await mined(palace, sessions(talk('s1', [exchange(1), began], { unparsedRows: 1 })));
    const went = { ...began, answer: 'Because the cache was stale, and nobody looked.' };
    const grown = talk('s1', [exchange(1), went], { unparsedRows: 1, mtimeMs: 1_700_000_009_000 });
    expect(await mined(palace, sessions(grown))).toMatchObject({ changed: 1, problems: [] });
  });

  it('without a turn is not filed, and every run reports it', async ({ palace, folder, talk }) => {
    const path = join(folder, 'data.jsonl');
    writeFileSync(path, '{"a":1}\n');
    const source = { ...talk('s1', []), path };
    for (const hash of ['h', 'h']) {
      const result = await mined(palace, sessions({ ...source, hash }));
      expect(result).toMatchObject({ new: 0, drawersTotal: 0 });
      expect(result.problems).toMatchObject([{ reason: 'not a transcript', problem: true }]);
      expect(palace.sources.byKey('opencode:s1')).toBeUndefined();
    }
  });
});

it('sources with only known texts do not accumulate behind one that waits for vectors', async ({
  palace,
  talk,
}) => {
  // Only the head and tail of tool output are chunked: long sources, few texts.
  const output = 'x'.repeat(1024 * 1024);
  const long = Array.from({ length: 10 }, (_, i) => {
    const source = talk(`s${i}`, [exchange(i)]);
    const content = [{ type: 'tool_result', tool_use_id: 't', content: output }];
    appendFileSync(source.path, JSON.stringify({ type: 'user', message: { role: 'user', content } }));
    return source;
  });
  await mined(palace, sessions(...long));
  const again = sessions(
    talk('new', [exchange(99)]),
    ...long.map((source) => ({ ...source, madeBy: 'transcriber 2, sanitiser 1' })),
  );
  const filed: number[] = [];
  await mined(palace, again, { onProgress: (progress) => filed.push(progress.sources) });
  expect(filed.find((count) => count > 0)).toBeLessThan(again.sources.length);
});
