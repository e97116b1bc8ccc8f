import { once } from 'node:events';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Broker, type Ending } from '../../src/broker/broker.js';
import { connect, tell } from '../../src/broker/connect.js';
import { type Hello, lineOf } from '../../src/broker/hello.js';
import { temporaryFolder } from '../support/palace.js';

it('a broker that ends takes no further client: that one looks for the next broker', async () => {
  const palace = temporaryFolder();
  const about = { version: '1.0.0', build: 'b', builtMs: 0 };
  const hello: Hello = { ...about, kind: 'mcp' };
  const ending = new AbortController();
  const socket = join(palace, 'x.sock');
  let listening: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    listening = resolve;
  });
  const ran = Broker.run(
    {
      palace,
      socket,
      about,
      settings: {},
      idleMs: Number.POSITIVE_INFINITY,
      open: () => ({ writes: [], serve: async (stream) => void (await once(stream.resume(), 'close')) }),
      openPage: () => Promise.reject(new Error('there is no page')),
      isCurrent: () => true,
      onEvent: listening,
    },
    ending.signal,
  );
  await ready;
  // It keeps the broker from ending at once.
  const first = await connect(socket, hello, 60_000);
  if ('why' in first) throw new Error(first.why);
  const late = createConnection(socket);
  await once(late, 'connect');
  // Accepted in the order in which they came.
  const accepted = await connect(socket, { ...hello, kind: 'status' }, 60_000);
  expect(accepted).toHaveProperty('reply');
  ending.abort();
  const heard: unknown[] = [];
  late.on('data', (data) => heard.push(data)).on('error', () => {});
  late.write(lineOf(hello));
  await once(late, 'close');
  expect(heard).toEqual([]);
  first.stream.destroy();
  expect(await ran).toBe('ended');
  expect(await connect(socket, hello, 60_000)).toEqual({ why: 'absent' });
});

it('clients are served however many paths are watched; only status names them', async () => {
  const palace = temporaryFolder();
  const about = { version: '1.0.0', build: 'b', builtMs: 0 };
  const socket = join(palace, 'x.sock');
  const paths = Array.from({ length: 1_000 }, (_, at) => `/home/ada/${'project'.repeat(20)}/${at}`);
  const ending = new AbortController();
  const ran = await new Promise<{ ended: Promise<Ending> }>((resolve) => {
    const ended = Broker.run(
      {
        palace,
        socket,
        about,
        settings: {},
        idleMs: Number.POSITIVE_INFINITY,
        watcher: { begin: async () => {}, end: async () => {}, state: { paths, missing: [] } },
        open: () => ({ writes: [], serve: async () => {} }),
        openPage: () => Promise.reject(new Error('there is no page')),
        isCurrent: () => true,
        onEvent: () => resolve({ ended }),
      },
      ending.signal,
    );
  });
  const client = await connect(socket, { ...about, kind: 'mcp' }, 60_000);
  expect(client).toMatchObject({ reply: { ok: true } });
  expect(client).not.toHaveProperty('reply.watching');
  expect((await tell(socket, { ...about, kind: 'status' }))?.watching?.paths).toEqual(paths);
  if (!('why' in client)) client.stream.destroy();
  ending.abort();
  expect(await ran.ended).toBe('ended');
});
