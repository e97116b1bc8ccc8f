import { describe, expect, it } from 'vitest';
import { LockedElsewhere, UserError } from '../../src/core/errors.js';
import { sqliteService } from '../../src/service/sqlite/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { ask } from '../support/ask.js';
import { countingEmbedder } from '../support/embedder.js';
import { asking, filledPalace, writerInto } from './palace.js';

const fact = { subject: 'shop', predicate: 'port', object: '80' };
const models = () => new WarmModel(async () => countingEmbedder());

describe('a write', () => {
  it('is repeated while another program writes, for as long as the caller waits', async () => {
    const folder = await filledPalace();
    const writer = writerInto(folder);
    let busy = 2;
    const service = sqliteService({
      folder,
      models: models(),
      writer: {
        ...writer,
        write: async (through, work) => {
          busy -= 1;
          if (busy >= 0) throw new UserError('locked', 'another program writes');
          return writer.write(through, work);
        },
      },
    });
    expect((await ask(service, 'kgInvalidate', fact, asking({ waitMs: 5_000 }))).ended).toEqual([]);
    busy = Number.POSITIVE_INFINITY;
    // No time for another attempt.
    await expect(ask(service, 'kgInvalidate', fact, asking({ waitMs: 20 }))).rejects.toMatchObject({
      code: 'locked',
    });
    await service.close();
  });

  it('is refused at once while the broker of another machine has the palace', async () => {
    let attempts = 0;
    const service = sqliteService({
      folder: await filledPalace(),
      models: models(),
      writer: {
        ...writerInto(''),
        write: async () => {
          attempts += 1;
          throw new LockedElsewhere('the broker on elsewhere writes it', 'let that machine write');
        },
      },
    });
    const call = asking({ waitMs: 60_000 });
    await expect(ask(service, 'kgInvalidate', fact, call)).rejects.toMatchObject({ code: 'locked' });
    expect(attempts).toBe(1);
    await service.close();
  });

  it('is refused by a service that only reads', async () => {
    const service = sqliteService({ folder: await filledPalace(), models: models() });
    await expect(ask(service, 'kgInvalidate', fact, asking())).rejects.toMatchObject({
      name: 'UserError',
      code: 'failed',
    });
    await service.close();
  });
});
