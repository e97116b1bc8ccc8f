import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../src/core/errors.js';
import type { PalaceService } from '../../src/service/contract/index.js';
import { type ConnectedService, connectService } from '../../src/service/rpc/client.js';
import { serveService } from '../../src/service/rpc/server.js';
import { sqliteService } from '../../src/service/sqlite/index.js';
import { WarmModel } from '../../src/service/sqlite/warm-model.js';
import { withReaders } from '../../src/service/threads/readers.js';
import { ask } from '../support/ask.js';
import { countingEmbedder } from '../support/embedder.js';
import { temporaryFolder } from '../support/palace.js';
import { conforms } from './conformance.js';
import { asking, writerInto } from './palace.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Serves on a socket. @returns its client's end */
async function served(
  service: PalaceService,
  known?: (error: unknown) => UserError | undefined,
): Promise<{ client: ConnectedService; ends: Socket[]; socket: Socket }> {
  const path = join(temporaryFolder(), 's');
  const ends: Socket[] = [];
  const server = createServer((end) => {
    ends.push(end);
    void serveService(end, service, { known });
  });
  server.listen(path);
  await once(server, 'listening');
  const socket = connect(path);
  await once(socket, 'connect');
  const client = connectService(socket);
  closing.push(async () => {
    await client.close();
    server.close();
  });
  return { client, ends, socket };
}

// As a broker is asked.
conforms('a client on the socket of a palace with reader threads', async (folder) => {
  const models = new WarmModel(async () => countingEmbedder());
  const service = withReaders(sqliteService({ folder, models, writer: writerInto(folder) }), {
    folder,
    models,
  });
  const { client } = await served(service);
  return {
    service: client,
    async close() {
      await client.close();
      await service.close();
    },
  };
});

const answering = (answer: PalaceService['ask']): PalaceService => ({ ask: answer }) as PalaceService;

describe('a connection', () => {
  it('carries errors of users whole, and others as bugs', async () => {
    const errors = [
      new UserError('locked', 'another program writes', { hint: 'wait' }),
      new TypeError('x is not a function'),
      new Error('ENOSPC'),
    ];
    const { client } = await served(
      answering(async () => {
        throw errors.shift();
      }),
      (error) => (String(error).includes('ENOSPC') ? new UserError('failed', 'the disk is full') : undefined),
    );
    await expect(ask(client, 'drift', {})).rejects.toMatchObject({
      name: 'UserError',
      code: 'locked',
      message: 'another program writes',
      hint: 'wait',
    });
    const bug = await ask(client, 'drift', {}).catch((error: unknown) => error);
    expect(bug).not.toBeInstanceOf(UserError);
    expect(String(bug)).toContain('x is not a function');
    await expect(ask(client, 'drift', {})).rejects.toMatchObject({
      code: 'failed',
      message: 'the disk is full',
    });
  });

  it('passes on who asks, and that the answer is no longer wanted', async () => {
    let heard: unknown;
    let by: unknown;
    const { client } = await served(
      answering(
        (_, _input, { signal, ...call }) =>
          new Promise((_resolve, reject) => {
            by = call;
            signal.addEventListener('abort', () => {
              heard = signal.reason;
              reject(signal.reason);
            });
          }),
      ),
    );
    const cancelled = new AbortController();
    const call = ask(
      client,
      'drift',
      {},
      asking({ signal: cancelled.signal, agent: 'pi', through: 'tool', waitMs: 7 }),
    );
    await expect.poll(() => by).toEqual({ agent: 'pi', through: 'tool', waitMs: 7 });
    cancelled.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect.poll(() => heard).toMatchObject({ code: 'interrupted' });
  });

  it('that ends rejects its calls, and cancels them at the other end', async () => {
    let heard: unknown;
    let hasArrived = false;
    const never: PalaceService['ask'] = (_, _input, { signal }) => {
      hasArrived = true;
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          heard = signal.reason;
          reject(signal.reason);
        }),
      );
    };
    const { client, socket } = await served(answering(never));
    const call = ask(client, 'drift', {});
    await expect.poll(() => hasArrived).toBe(true);
    socket.destroy();
    await expect(call).rejects.toMatchObject({ code: 'failed', hint: 'ask again' });
    await expect.poll(() => heard).toMatchObject({ message: 'the client has gone' });
    await expect(ask(client, 'drift', {})).rejects.toMatchObject({ name: 'UserError' });
  });

  it('ends when something else comes than a message', async () => {
    for (const words of ['GET / HTTP/1.1\r\n\r\n', '{"id":1}\n', '[]\n']) {
      const { socket } = await served(answering(async () => ({ warnings: [] })));
      socket.write(words);
      await once(socket, 'close');
    }
  });

  it('of a client that reads nothing takes no more questions', async () => {
    let asked = 0;
    const hint = 'x'.repeat(20_000);
    const { client, socket } = await served(
      answering(async () => {
        asked += 1;
        return { warnings: [{ text: '', hint }] };
      }),
    );
    socket.pause();
    const calls = Array.from({ length: 3_000 }, () => ask(client, 'drift', {}));
    await expect.poll(() => asked).toBeGreaterThan(0);
    // Long enough for all, if they were read.
    await sleep(500);
    expect(asked).toBeLessThan(2_000);
    socket.resume();
    expect(await Promise.all(calls)).toHaveLength(3_000);
  });
});
