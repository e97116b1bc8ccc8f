import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Message } from '../../src/mcp/message.js';
import { type Backend, Relay, type RelayOptions } from '../../src/mcp/relay.js';
import { ENDING, LAST_WORDS_MS, LineTransport } from '../../src/mcp/transport.js';

/** A backend that keeps what it is asked. */
class Recorder implements Backend {
  readonly asked: Message[] = [];
  readonly writes = new Set(['write']);
  receive: (message: Message) => void = () => {};
  end: () => void = () => {};
  readonly closed = new Promise<void>((resolve) => {
    this.end = resolve;
  });
  isGone = false;
  ask(message: Message): boolean {
    if (!this.isGone) this.asked.push(message);
    return !this.isGone;
  }
  close(): void {
    this.end();
  }
}

const initialize = { jsonrpc: '2.0', id: 'open', method: 'initialize', params: {} };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const callOf = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
const answerTo = (id: unknown, text = 'x') => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
});
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));
/** Waits until a backend has been asked this many messages. */
const asked = (backend: Recorder, count: number) =>
  vi.waitFor(() => expect(backend.asked).toHaveLength(count), { timeout: 10_000 });

/** A relay whose client has written `said`. Each call of `broker` gives the next of `brokers`. */
async function relayed(brokers: (Backend | undefined)[], changes: Partial<RelayOptions> = {}) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const client = new LineTransport(input, output, () => undefined, 1_000);
  client.listen();
  const own = new Recorder();
  const dialled = vi.fn(async () => brokers.shift());
  const relay = new Relay(client, {
    broker: dialled,
    own: async () => own,
    deadlineMs: 60_000,
    respawns: 2,
    backoffMs: 1,
    rejoinMs: 30,
    onTrouble: () => {},
    ...changes,
  });
  const done = relay.run(new AbortController().signal);
  onTestFinished(async () => {
    input.end();
    await client.close();
    await done;
  });
  await settled();
  const say = async (...messages: object[]) => {
    for (const message of messages) input.write(`${JSON.stringify(message)}\n`);
    await settled();
  };
  const heard = (): Message[] =>
    String(output.read() ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return { say, heard, own, dialled, end: () => input.end(), done };
}

it('passes messages both ways, and ends with its client', async () => {
  const broker = new Recorder();
  const { say, heard, dialled, end, done } = await relayed([broker]);
  await say(initialize, initialized, callOf(1, 'read'));
  expect(broker.asked).toEqual([initialize, initialized, callOf(1, 'read')]);
  broker.receive(answerTo('open'));
  broker.receive(answerTo(1));
  await settled();
  expect(heard()).toEqual([answerTo('open'), answerTo(1)]);
  end();
  await done;
  expect(dialled).toHaveBeenCalledTimes(1);
});

it('asks open reads again when the broker ended, and never repeats a write', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say, heard } = await relayed([first, second]);
  await say(initialize, initialized);
  first.receive(answerTo('open'));
  await say(callOf(1, 'read'), callOf(2, 'write'), callOf(3, 'read'));
  heard();
  first.end();
  await asked(second, 4);
  expect(heard()).toMatchObject([{ id: 2, result: { isError: true } }]);
  const [again, ...rest] = second.asked;
  expect(again).toMatchObject({ method: 'initialize', params: {} });
  expect(rest).toEqual([initialized, callOf(1, 'read'), callOf(3, 'read')]);
  // The client has its answer to `initialize`.
  second.receive(answerTo(again?.id));
  second.receive(answerTo(1));
  await settled();
  expect(heard()).toEqual([answerTo(1)]);
});

it('looks for another broker only for the next message', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say, dialled } = await relayed([first, second]);
  await say(initialize, initialized);
  first.receive(answerTo('open'));
  first.end();
  await settled();
  expect(dialled).toHaveBeenCalledTimes(1);
  await say(callOf(1, 'write'));
  await asked(second, 3);
  expect(second.asked.slice(1)).toEqual([initialized, callOf(1, 'write')]);
});

it('a cancelled call is not asked again', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say } = await relayed([first, second]);
  await say(initialize, callOf(1, 'read'), callOf(2, 'read'));
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  await say(cancelled);
  first.end();
  await asked(second, 2);
  // `initialize` has no answer yet: it is asked with its own id.
  expect(second.asked).toEqual([initialize, callOf(2, 'read')]);
});

it('works by itself when no broker can be had again, and says so once', async () => {
  const first = new Recorder();
  const { say, heard, own, dialled } = await relayed([first, undefined, undefined]);
  await say(initialize, callOf(1, 'read'));
  first.end();
  await asked(own, 2);
  expect(dialled).toHaveBeenCalledTimes(3);
  own.receive(answerTo(1));
  own.receive(answerTo(2));
  await settled();
  const note = { type: 'text', text: expect.stringContaining('by itself') };
  expect(heard().map(({ result }) => result)).toEqual([
    { content: [{ type: 'text', text: 'x' }, note] },
    { content: [{ type: 'text', text: 'x' }] },
  ]);
});

it('any answer of a broker resets the number of attempts', async () => {
  const brokers = Array.from({ length: 6 }, () => new Recorder());
  const { say, own } = await relayed([...brokers]);
  for (const [at, broker] of brokers.entries()) {
    await say(callOf(at, 'read'));
    await asked(broker, 1);
    broker.receive(answerTo(at));
    broker.end();
    await settled();
  }
  expect(own.asked).toEqual([]);
  expect(brokers.map(({ asked }) => asked.length)).toEqual([1, 1, 1, 1, 1, 1]);
});

it('the answer to a session that is opened again is not an answer: what ends every broker is then done here', async () => {
  const brokers = Array.from({ length: 6 }, () => new Recorder());
  const [first] = brokers;
  for (const broker of brokers.slice(1))
    broker.ask = (message) => {
      broker.asked.push(message);
      if (message.method === 'initialize') broker.receive(answerTo(message.id));
      else broker.end();
      return true;
    };
  const { say, own } = await relayed([...brokers]);
  await say(initialize);
  first?.receive(answerTo('open'));
  await say(callOf(1, 'read'));
  first?.end();
  await asked(own, 2);
  expect(own.asked[1]).toEqual(callOf(1, 'read'));
  expect(brokers.map(({ asked }) => asked.length)).toEqual([2, 2, 2, 0, 0, 0]);
});

it('a backend that does not answer in time is given up', async () => {
  const [stopped, next] = [new Recorder(), new Recorder()];
  // The relay allows for the last words of a backend: 50 ms remain.
  const { say } = await relayed([stopped, next], { deadlineMs: 50 - LAST_WORDS_MS });
  await say(callOf(1, 'read'));
  await asked(next, 1);
  next.receive(answerTo(1));
  expect([stopped.asked, next.asked]).toEqual([[callOf(1, 'read')], [callOf(1, 'read')]]);
});

it('what a broker that ends did not take waits for the next one, writes too', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say, heard } = await relayed([first, second]);
  await say(initialize, initialized);
  first.receive(answerTo('open'));
  await say(callOf(1, 'write'), callOf(2, 'write'), callOf(3, 'write'), callOf(4, 'read'));
  first.receive(answerTo(1));
  first.receive({ jsonrpc: '2.0', method: ENDING, params: { taken: [2, 4] } });
  await say(callOf(5, 'write'));
  first.receive(answerTo(4));
  heard();
  first.end();
  await asked(second, 4);
  // Taken without an answer: it may have been done.
  expect(heard()).toMatchObject([{ id: 2, result: { isError: true } }]);
  expect(second.asked.slice(1)).toEqual([initialized, callOf(3, 'write'), callOf(5, 'write')]);
  second.receive(answerTo(3));
  await say(callOf(6, 'write'));
  expect(second.asked.at(-1)).toEqual(callOf(6, 'write'));
  expect(heard()).toEqual([answerTo(3)]);
});

it('a write that was cancelled before a broker took it is not made', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say } = await relayed([first, second]);
  await say(initialize, initialized);
  first.receive(answerTo('open'));
  await say(callOf(1, 'write'), callOf(2, 'write'));
  first.receive({ jsonrpc: '2.0', method: ENDING, params: { taken: [] } });
  await say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
  first.end();
  await asked(second, 3);
  expect(second.asked.slice(1)).toEqual([initialized, callOf(2, 'write')]);
});

it('a session that a broker which ends did not open is opened by the next one', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say } = await relayed([first, second]);
  await say(initialize, initialized, callOf(1, 'write'));
  first.receive({ jsonrpc: '2.0', method: ENDING, params: { taken: [] } });
  first.end();
  await asked(second, 3);
  expect(second.asked).toEqual([initialize, initialized, callOf(1, 'write')]);
});

it('a write that could not be sent is not called interrupted', async () => {
  const [first, second] = [new Recorder(), new Recorder()];
  const { say, heard } = await relayed([first, second]);
  await say(initialize, initialized);
  first.receive(answerTo('open'));
  heard();
  first.isGone = true;
  await say(callOf(1, 'write'));
  first.end();
  await asked(second, 3);
  expect(second.asked.slice(1)).toEqual([initialized, callOf(1, 'write')]);
  expect(heard()).toEqual([]);
});

it('a call that was cancelled does not end the backend later', async () => {
  const first = new Recorder();
  const { say } = await relayed([first], { deadlineMs: 50 - LAST_WORDS_MS });
  await say(callOf(1, 'read'), {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 1 },
  });
  expect(await Promise.race([first.closed, new Promise((resolve) => setTimeout(resolve, 200, 'open'))])).toBe(
    'open',
  );
});

describe('without a broker', () => {
  /** A relay that fell back to its own tools, and has answered. */
  async function alone(changes: Partial<RelayOptions>) {
    const first = new Recorder();
    const started = await relayed([first, undefined, undefined], changes);
    await started.say(initialize, initialized, callOf(1, 'read'));
    first.receive(answerTo('open'));
    first.end();
    await asked(started.own, 3);
    const [again] = started.own.asked;
    started.own.receive(answerTo(again?.id));
    started.own.receive(answerTo(1));
    await settled();
    return started;
  }

  it('it joins the one that runs by now once its client is idle, and gives up its own tools', async () => {
    const next = new Recorder();
    const rejoin = vi.fn(async () => next);
    const { say, heard, own } = await alone({ rejoin });
    await own.closed;
    await asked(next, 2);
    expect(next.asked).toEqual([{ ...initialize, id: expect.any(String) }, initialized]);
    heard();
    next.receive(answerTo(next.asked[0]?.id));
    await say(callOf(2, 'write'));
    next.receive(answerTo(2));
    await settled();
    expect(next.asked[2]).toEqual(callOf(2, 'write'));
    expect(heard()).toEqual([answerTo(2)]);
    expect(rejoin).toHaveBeenCalledTimes(1);
  });

  it('it looks again after each idle time, but not while a call is open', async () => {
    const found: (Backend | undefined)[] = [undefined, new Recorder()];
    let isAnswered = false;
    const rejoin = vi.fn(async () => (isAnswered ? found.shift() : undefined));
    const { say, own } = await alone({ rejoin });
    await say(callOf(2, 'write'));
    const before = rejoin.mock.calls.length;
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(rejoin).toHaveBeenCalledTimes(before);
    isAnswered = true;
    own.receive(answerTo(2));
    await own.closed;
    expect(rejoin).toHaveBeenCalledTimes(before + 2);
  });

  it('a call that comes while it looks is answered here', async () => {
    const next = new Recorder();
    let answer: (found: Backend) => void = () => {};
    const rejoin = vi.fn(() => new Promise<Backend>((resolve) => (answer = resolve)));
    const { say, own } = await alone({ rejoin });
    await vi.waitFor(() => expect(rejoin).toHaveBeenCalledTimes(1));
    await say(callOf(2, 'write'));
    answer(next);
    await next.closed;
    expect([own.asked.at(-1), next.asked]).toEqual([callOf(2, 'write'), []]);
  });

  it('one that refused is not asked again', async () => {
    const rejoin = vi.fn(async () => 'never' as const);
    await alone({ rejoin });
    await new Promise((resolve) => setTimeout(resolve, 120));
    expect(rejoin).toHaveBeenCalledTimes(1);
  });

  it('a client that began without one joins it, too', async () => {
    const next = new Recorder();
    const { say, own } = await relayed([undefined], { rejoin: async () => next });
    await say(initialize, initialized);
    own.receive(answerTo('open'));
    await own.closed;
    await asked(next, 2);
  });
});
