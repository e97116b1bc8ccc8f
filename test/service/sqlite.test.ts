import { describe, expect, it, vi } from 'vitest';
import { sqliteService } from '../../src/service/sqlite/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { ask } from '../support/ask.js';
import { countingEmbedder } from '../support/embedder.js';
import { TINY_MODEL } from '../support/palace.js';
import { conforms } from './conformance.js';
import { asking, filledPalace, find, question, serviceOf } from './palace.js';

conforms('the SQLite palace', async (folder) => {
  const service = serviceOf(folder);
  return { service, close: () => service.close() };
});

describe('the model of the SQLite palace', () => {
  it('is not lent where searches use words alone, since nobody else would need it', async () => {
    const models = new WarmModel(async () => countingEmbedder(), { forSearch: false });
    const service = sqliteService({ folder: await filledPalace(), models });
    const { id, revision, dimension } = TINY_MODEL;
    const asked = { model: { id, revision, dimension }, texts: ['Gates'], role: 'passage' as const };
    await expect(ask(service, 'sharedModel', asked)).rejects.toMatchObject({
      code: 'failed',
      message: 'searches of this palace use words alone',
    });
    await service.close();
  });
});

describe('a search that nobody waits for any more', () => {
  it('is not looked up', async () => {
    const call = new AbortController();
    const models = new WarmModel(async () => countingEmbedder(() => call.abort('dropped')));
    const service = sqliteService({ folder: await filledPalace(), models });
    const snapshot = vi.spyOn(service.handle.get(), 'snapshot');
    await expect(find(service, question('zebra'), asking({ signal: call.signal }))).rejects.toBe('dropped');
    expect(snapshot).not.toHaveBeenCalled();
    expect((await find(service, question('zebra'), asking())).hits).not.toEqual([]);
    expect(snapshot).toHaveBeenCalled();
    await service.close();
  });
});
