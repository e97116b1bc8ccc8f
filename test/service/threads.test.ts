import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { PalaceService } from '../../src/service/contract/index.js';
import { sqliteService } from '../../src/service/sqlite/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { withReaders } from '../../src/service/threads/readers.js';
import { ask } from '../support/ask.js';
import { countingEmbedder } from '../support/embedder.js';
import { asking, filledPalace, find, question, writerInto } from './palace.js';

/** Started threads. */
const started: Worker[] = [];
const note = (worker: Worker): unknown => started.push(worker);
beforeAll(() => void process.on('worker', note));
afterAll(() => void process.off('worker', note));

const embedder = countingEmbedder();

function threaded(folder: string, idleMs?: number) {
  const models = new WarmModel(async () => embedder);
  return withReaders(sqliteService({ folder, models, writer: writerInto(folder) }), {
    folder,
    models,
    ...(idleMs === undefined ? {} : { idleMs }),
  });
}

describe('reader threads', () => {
  let service: PalaceService & { close(): Promise<void> };
  afterEach(() => service.close());

  it('are started as they are needed, two at most, and share one model', async () => {
    service = threaded(await filledPalace());
    started.length = 0;
    await find(service, question('zebra'), asking());
    await find(service, question('zebra'), asking());
    expect(started).toHaveLength(1);
    embedder.texts.length = 0;
    const asked = Array.from({ length: 9 }, () => find(service, question('zebra'), asking()));
    await Promise.all(asked);
    expect([started.length, embedder.texts.length]).toEqual([2, 9]);
  });

  it('leave the thread of the owner free', async () => {
    service = threaded(await filledPalace());
    await find(service, question('zebra'), asking());
    let ticks = 0;
    const clock = setInterval(() => {
      ticks += 1;
    }, 1);
    const call = asking();
    // Blocks its thread for a second or more: every text is read again for each name.
    const paths = Array.from({ length: 20_000 }, (_, n) => `missing-${n}`);
    const long = ask(service, 'show', { name: 'nothing', paths }, call).catch((error: unknown) => error);
    const began = performance.now();
    const { hits } = await find(service, question('zebra'), asking());
    const found = performance.now() - began;
    expect(await long).toMatchObject({ code: 'not-found' });
    const whole = performance.now() - began;
    clearInterval(clock);
    expect(hits.length).toBeGreaterThan(0);
    expect(found).toBeLessThan(whole);
    expect(ticks).toBeGreaterThan(10);
  });

  it('that end are replaced, and what they were asked is asked again', async () => {
    service = threaded(await filledPalace());
    started.length = 0;
    await find(service, question('zebra'), asking());
    const calls = Array.from({ length: 4 }, () => find(service, question('zebra'), asking()));
    await Promise.all(started.map((thread) => thread.terminate()));
    const found = await Promise.all(calls);
    expect(found.every(({ hits }) => hits.length > 0)).toBe(true);
    expect(started.length).toBeGreaterThan(2);
  });

  it('end when nobody needs them, and are started again', async () => {
    service = threaded(await filledPalace(), 20);
    started.length = 0;
    await find(service, question('zebra'), asking());
    const ended = vi.fn();
    started[0]?.once('exit', ended);
    await expect.poll(() => ended.mock.calls.length).toBe(1);
    expect((await find(service, question('zebra'), asking())).hits.length).toBeGreaterThan(0);
    expect(started).toHaveLength(2);
  });

  it('pass on why meanings cannot be compared', async () => {
    const folder = await filledPalace();
    const models = new WarmModel(async () => {
      throw new Error('no such model');
    });
    service = withReaders(sqliteService({ folder, models }), { folder, models });
    const { trouble, hits, notes } = await find(service, question('zebra'), asking());
    expect([trouble, hits.length, notes]).toEqual([{ text: 'no such model' }, 2, []]);
  });
});
