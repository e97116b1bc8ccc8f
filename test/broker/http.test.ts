import { createConnection, type Socket } from 'node:net';
import * as checks from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { byToken } from '../../src/broker/authenticate.js';
import { type HttpLimits, HttpListener } from '../../src/broker/http.js';

const TOKEN = 'x'.repeat(40);

/** A listener whose answers wait for `release`. */
async function listening(limits: Partial<HttpLimits>) {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const aborted: boolean[] = [];
  const events: string[] = [];
  const listener = new HttpListener(
    {
      host: '127.0.0.1',
      port: 0,
      names: [],
      limits,
      authenticate: byToken((token) => (token === TOKEN ? { name: 'ada', readOnly: false } : undefined)),
      async answer(request) {
        request.signal.addEventListener('abort', () => aborted.push(true));
        await request.text();
        await released;
        return new Response('done');
      },
      onEvent: (text) => events.push(text),
    },
    checks,
  );
  const url = new URL(await listener.listen());
  onTestFinished(() => listener.close());
  const send = (text: string) => {
    const socket: Socket = createConnection({ host: url.hostname, port: Number(url.port) });
    socket.write(text);
    let answer = '';
    socket.on('data', (piece) => {
      answer += piece.toString('utf8');
    });
    const closed = new Promise<string>((resolve) => {
      socket.on('error', () => {});
      socket.on('close', () => resolve(answer));
    });
    return { socket, closed };
  };
  return { listener, send, release, aborted, events };
}

const head = (length: number): string =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Length: ${length}\r\n`;

it('a client that sends its headers or its body too slowly, or nothing, is cut off', async () => {
  const { send } = await listening({ headersMs: 200, requestMs: 400 });
  // Node's own look for late requests may come first.
  expect(await send('').closed).toMatch(/^(?:HTTP\/1\.1 408 [\s\S]*)?$/);
  const lines = send('POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: ');
  const drip = setInterval(() => lines.socket.write('a'), 20);
  onTestFinished(() => clearInterval(drip));
  expect(await lines.closed).toMatch(/^HTTP\/1\.1 408 /);
  expect(await send(`${head(10)}\r\nab`).closed).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
});

it('connections and calls have a limit', async () => {
  const { send, release } = await listening({ connections: 2, calls: 1 });
  const one = send(`${head(0)}Connection: close\r\n\r\n`);
  // The first call is being answered when the second one comes on another connection.
  await new Promise((resolve) => one.socket.once('connect', resolve));
  const other = send(`${head(0)}Connection: close\r\n\r\n`);
  expect(await Promise.race([other.closed, one.closed])).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 1/is);
  const held = send('');
  await new Promise((resolve) => held.socket.once('connect', resolve));
  expect(await send(`${head(0)}\r\n`).closed).toBe('');
  release();
  held.socket.destroy();
  expect(await one.closed).toContain('done');
});

it('a call may take longer than the headers', async () => {
  const { send, release } = await listening({ headersMs: 100 });
  const { closed } = send(`${head(0)}Connection: close\r\n\r\n`);
  setTimeout(release, 300);
  expect(await closed).toContain('done');
});

it('a call whose client has gone is aborted', async () => {
  const { send, aborted, release } = await listening({});
  const { socket, closed } = send(`${head(0)}\r\n`);
  await new Promise((resolve) => setTimeout(resolve, 50));
  socket.destroy();
  await closed;
  await expect.poll(() => aborted).toEqual([true]);
  release();
});

it('refusals are logged once a minute, without what was sent', async () => {
  const { send, events } = await listening({});
  for (let tries = 0; tries < 5; tries += 1)
    await send(
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer abc\r\n\r\n',
    ).closed;
  expect(events.filter((text) => text.includes('refused'))).toEqual([
    'http: refused 1 (now 401, from 127.0.0.1)',
  ]);
});

it.each(['PUT', 'DELETE', 'TRACE', 'OPTIONS'])('%s is no method of the server', async (method) => {
  const { send, events } = await listening({});
  const request = head(0).replace('POST', method);
  expect(await send(`${request}Connection: close\r\n\r\n`).closed).toMatch(
    /^HTTP\/1\.1 405 .*Allow: GET, HEAD, POST/is,
  );
  expect(events).toEqual([expect.stringContaining('listens')]);
});
