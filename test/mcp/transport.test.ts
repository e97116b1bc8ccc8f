import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ENDING, LineTransport } from '../../src/mcp/transport.js';

/** A transport with its received and written messages. */
async function opened(
  greet: (message: Record<string, unknown>) => object | undefined = () => undefined,
  deadlineMs = 60_000,
) {
  const input = new PassThrough();
  const output = new PassThrough();
  const transport = new LineTransport(input, output, greet, deadlineMs);
  const received: unknown[] = [];
  transport.onmessage = (message) => received.push(message);
  transport.listen();
  const written = (): Record<string, unknown>[] =>
    String(output.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const say = (text: string | Uint8Array) => input.write(text);
  /** Resolves when all input is processed. */
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return { input, transport, received, written, say, settled };
}

const request = (id: unknown) => JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' });

describe('messages', () => {
  it('are read line by line, for any division of the bytes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string(), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        async (texts, cuts) => {
          const { transport, received, say, settled } = await opened();
          await transport.start();
          const messages = texts.map((text, id) => ({ jsonrpc: '2.0', id, method: 'x', params: { text } }));
          const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
          for (let at = 0, n = 0; at < bytes.length; n += 1) {
            const size = cuts[n % cuts.length] ?? 1;
            say(bytes.subarray(at, at + size));
            at += size;
          }
          await settled();
          expect(received).toEqual(messages);
        },
      ),
      { numRuns: 50 },
    );
  });

  it('that are invalid are answered with an error, and the next is read', async () => {
    const { transport, received, written, say, settled } = await opened();
    await transport.start();
    say(`{"jsonrpc": "2.0", \n[]\n"x"\n{"jsonrpc":"1.0","id":4}\n\n${request(5)}\n`);
    await settled();
    expect(written()).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 4, error: { code: -32600 } },
    ]);
    expect(received).toMatchObject([{ id: 5 }]);
  });

  it('that the SDK does not know are refused by id', async () => {
    const { transport, received, written, say, settled } = await opened();
    transport.isKnown = (message) => typeof message.method === 'string';
    await transport.start();
    say(`{"jsonrpc":"2.0","id":"a","method":7}\n`);
    await settled();
    expect(received).toEqual([]);
    expect(written()).toMatchObject([{ id: 'a', error: { code: -32600 } }]);
  });

  it('longer than 10 MB are refused without being stored', async () => {
    const { transport, received, written, say, settled } = await opened();
    await transport.start();
    const piece = Buffer.alloc(1024 * 1024, 'x');
    for (let n = 0; n < 12; n += 1) say(piece);
    say(`\n${request(1)}\n`);
    await settled();
    expect(written()).toMatchObject([{ id: null, error: { code: -32600 } }]);
    expect(received).toMatchObject([{ id: 1 }]);
  });

  it('wait for the SDK; the answer to initialize does not', async () => {
    const greet = ({ id, method }: Record<string, unknown>) =>
      method === 'initialize' ? { jsonrpc: '2.0', id, result: { early: true } } : undefined;
    const { transport, received, written, say, settled } = await opened(greet);
    say(`{"jsonrpc":"2.0","id":0,"method":"initialize"}\n${request(1)}\n`);
    await settled();
    expect(written()).toEqual([{ jsonrpc: '2.0', id: 0, result: { early: true } }]);
    expect(received).toEqual([]);
    await transport.start();
    expect(received).toMatchObject([{ id: 0 }, { id: 1 }]);
    await transport.send({ jsonrpc: '2.0', id: 0, result: {} });
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    expect(written()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });
});

describe('the end', () => {
  it('of stdin waits for the answers of running calls', async () => {
    const { input, transport, written, say, settled } = await opened();
    await transport.start();
    say(`${request(1)}\n`);
    input.end();
    await settled();
    let closed = false;
    void transport.closed.then(() => {
      closed = true;
    });
    await settled();
    expect(closed).toBe(false);
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await transport.closed;
    expect(written()).toMatchObject([{ id: 1 }]);
  });

  it('of stdin follows a last line without a line feed', async () => {
    const { input, transport, received, written, settled } = await opened();
    await transport.start();
    input.end(request(1));
    await settled();
    expect(received).toMatchObject([{ id: 1 }]);
    await transport.send({ jsonrpc: '2.0', id: 1, result: {} });
    await transport.closed;
    expect(written()).toMatchObject([{ id: 1 }]);
  });

  it('does not wait for a call beyond its deadline', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { input, transport, say, settled } = await opened(undefined, 30_000);
    say(`${request(1)}\n`);
    input.end();
    await settled();
    vi.advanceTimersByTime(39_000);
    // Loading took that long: the call begins now.
    await transport.start();
    let closed = false;
    void transport.closed.then(() => {
      closed = true;
    });
    vi.advanceTimersByTime(39_000);
    await settled();
    expect(closed).toBe(false);
    vi.advanceTimersByTime(1_000);
    await transport.closed;
  });

  it('follows at once without running calls, or after they were cancelled', async () => {
    const idle = await opened();
    await idle.transport.start();
    idle.input.end();
    await idle.transport.closed;

    const cancelled = await opened();
    await cancelled.transport.start();
    const { say } = cancelled;
    say(`${request(7)}\n`);
    say(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}\n`);
    cancelled.input.end();
    await cancelled.transport.closed;
  });

  it('leaves no timer behind when stdin ends after the transport was closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { input, transport, say, settled } = await opened();
    await transport.start();
    say(`${request(1)}\n`);
    await settled();
    await transport.close();
    input.destroy();
    await settled();
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a server that finishes names the calls that it will answer, and takes no further one', async () => {
  const { input, transport, received, written, say, settled } = await opened();
  await transport.start();
  say(`${request(1)}\n${request(2)}\n${request(3)}\n`);
  await settled();
  await transport.send({ jsonrpc: '2.0', id: 2, result: {} });
  written();
  transport.finish();
  say(`${request(4)}\n`);
  await settled();
  expect(received).toHaveLength(3);
  // What comes later is read, and dropped.
  expect(input.readableLength).toBe(0);
  for (const id of [1, 3]) await transport.send({ jsonrpc: '2.0', id, result: {} });
  await transport.closed;
  expect(written()).toEqual([
    { jsonrpc: '2.0', method: ENDING, params: { taken: [1, 3] } },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 3, result: {} },
  ]);
});
