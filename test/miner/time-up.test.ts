import { rmSync } from 'node:fs';
import { describe, expect } from 'vitest';
import type { Batch } from '../../src/core/contract.js';
import type { MineOptions, MineResult } from '../../src/miner/mining.js';
import type { Palace } from '../../src/store/index.js';
import { countingEmbedder } from '../support/embedder.js';
import { it } from '../support/it.js';
import { mined } from '../support/mining.js';
import { temporaryFolder, temporaryPalace } from '../support/palace.js';
import { conversation, documentBatch } from '../support/staged.js';

/** A run whose time limit has passed at the start, or when `isUp` returns true; its texts are added to `texts`. */
async function shortRun(
  palace: Palace,
  batch: Batch,
  texts: string[],
  isUp: (embedded: number) => boolean = () => true,
  more: Partial<MineOptions> = {},
): Promise<MineResult> {
  const counting = countingEmbedder();
  const timeIsUp = () => isUp(counting.texts.length);
  const result = await mined(palace, batch, { counting, timeIsUp, ...more });
  texts.push(...counting.texts);
  return result;
}

const exchange = { id: 'm1', question: 'How are totals rounded?', answer: 'Half up.' };

describe('a run past its time limit', () => {
  it('files one source, and the next run continues', async ({ palace }) => {
    const batch = documentBatch(temporaryFolder(), { 'a.md': 'aaa', 'b.md': 'bbb', 'c.md': 'ccc' });
    const texts: string[] = [];
    for (const left of [2, 1, 0]) {
      expect(await shortRun(palace, batch, texts)).toMatchObject({ new: 1, left, drawersTotal: 3 - left });
    }
    expect(await shortRun(palace, batch, texts)).toMatchObject({ new: 0, unchanged: 3, left: 0 });
    expect(texts).toHaveLength(3);
  });

  it('completes a source that takes longer than the limit, and embeds nothing twice', async ({ palace }) => {
    const exchanges = Array.from({ length: 10 }, (_, index) => ({
      id: `m${index}`,
      question: `Question ${index}?`,
      answer: Array.from({ length: 2_500 }, (_, part) => `Answer ${index} is long, part ${part}. `).join(''),
    }));
    const source = conversation(temporaryFolder(), 'ses_long', exchanges);
    expect(source.bytes).toBeGreaterThan(500_000);
    const texts: string[] = [];
    const runs: MineResult[] = [];
    do runs.push(await shortRun(palace, { sources: [source], skipped: [] }, texts));
    while ((runs.at(-1)?.pending ?? 0) > 0 && runs.length < 200);
    expect(runs.length).toBeGreaterThan(2);
    expect(runs[0]).toMatchObject({ new: 1, left: 0 });
    expect(runs.at(-1)).toMatchObject({ new: 0, unchanged: 1, pending: 0 });
    expect(palace.vectors.coverage()).toMatchObject({ texts: texts.length, pending: 0 });
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('ends soon after: only a small batch is being embedded then', async () => {
    const files = Array.from({ length: 900 }, (_, index) => [`${index}.md`, `text ${index}`]);
    const batch = documentBatch(temporaryFolder(), Object.fromEntries(files));
    const texts: string[] = [];
    const result = await shortRun(temporaryPalace(), batch, texts, (embedded) => embedded > 0);
    expect(texts.length).toBeLessThan(200);
    expect(result.new).toBeLessThan(400);
    expect(result).toMatchObject({ left: 900 - result.new, pending: result.new - texts.length });
  });

  it('skips a source that cannot be filed, which would stop every run at the same point', async ({
    palace,
  }) => {
    const batch = documentBatch(temporaryFolder(), { 'a.md': 'aaa', 'b.md': 'bbb' });
    rmSync(batch.sources[0]?.path ?? '');
    expect(await shortRun(palace, batch, [])).toMatchObject({
      new: 1,
      left: 0,
      problems: [{ reason: 'unreadable' }],
    });
  });

  it('files a session whose checkpoint is asked for each time, and then the others', async ({
    palace,
    folder,
  }) => {
    const sources = ['a', 'b', 'c'].map((id) => conversation(folder, id, [exchange]));
    const more = { checkpoints: new Map([['opencode:a', { kind: 'end' as const }]]) };
    for (const left of [2, 2, 1, 0])
      expect(await shortRun(palace, { sources, skipped: [] }, [], undefined, more)).toMatchObject({ left });
    expect(palace.sources.byKey('opencode:c')).toBeDefined();
  });

  it('removes nothing: text that moved to a later source would be missing meanwhile', async ({
    palace,
    folder,
  }) => {
    await shortRun(palace, documentBatch(folder, { 'a.md': 'aaa' }), []);
    const next = documentBatch(folder, { 'b.md': 'bbb', 'c.md': 'ccc' });
    expect(await shortRun(palace, next, [])).toMatchObject({ new: 1, left: 1, removed: 0 });
    expect(await shortRun(palace, next, [])).toMatchObject({ new: 1, left: 0, removed: 1 });
  });
});
