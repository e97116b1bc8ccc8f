import { expect, it, vi } from 'vitest';
import type { Message } from '../../src/mcp/message.js';
import type { Backend } from '../../src/mcp/relay.js';
import { Split } from '../../src/mcp/split.js';

class Recorder implements Backend {
  readonly asked: Message[] = [];
  readonly writes = new Set(['mempalace_mine']);
  receive: (message: Message) => void = () => {};
  readonly closed = new Promise<void>(() => {});
  readonly close = vi.fn();
  ask(message: Message): boolean {
    this.asked.push(message);
    return true;
  }
}

const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize', params: {} };
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
const call = (id: number, name: string) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } });
const settled = () => new Promise((resolve) => setTimeout(resolve, 1));

function split(own: Backend | undefined) {
  const there = new Recorder();
  const open = vi.fn(async () => own);
  const both = new Split(there, { here: new Set(['mempalace_mine']), open, onTrouble: () => {} });
  const heard: Message[] = [];
  both.receive = (message) => heard.push(message);
  both.ask(initialize);
  both.ask(initialized);
  return { there, open, both, heard };
}

it('does the calls of some tools here, and all others there', async () => {
  const own = new Recorder();
  const { there, open, both, heard } = split(own);
  both.ask(call(2, 'mempalace_search'));
  expect(open).not.toHaveBeenCalled();
  both.ask(call(3, 'mempalace_mine'));
  await settled();
  expect(there.asked).toEqual([initialize, initialized, call(2, 'mempalace_search')]);
  const [greeting] = own.asked;
  expect(own.asked).toEqual([
    { ...initialize, id: expect.any(String) },
    initialized,
    call(3, 'mempalace_mine'),
  ]);
  own.receive({ jsonrpc: '2.0', id: greeting?.id, result: {} });
  own.receive({ jsonrpc: '2.0', id: 3, result: { filed: true } });
  there.receive({ jsonrpc: '2.0', id: 2, result: {} });
  expect(heard.map(({ id }) => id)).toEqual([3, 2]);
});

const cancel = (requestId: number) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId },
});

it('cancels a call where it is done', async () => {
  const own = new Recorder();
  const { there, both } = split(own);
  both.ask(call(3, 'mempalace_mine'));
  await settled();
  both.ask(cancel(3));
  both.ask(cancel(2));
  await settled();
  expect([own.asked.at(-1), there.asked.at(-1)]).toEqual([cancel(3), cancel(2)]);
});

it('does not begin a call that is cancelled while the tools of this process load', async () => {
  const own = new Recorder();
  const { there, both } = split(own);
  both.ask(call(3, 'mempalace_mine'));
  both.ask(cancel(3));
  both.ask(call(4, 'mempalace_mine'));
  await settled();
  expect(own.asked.filter(({ method }) => method === 'tools/call')).toEqual([call(4, 'mempalace_mine')]);
  expect(there.asked).toEqual([initialize, initialized]);
});

it('asks there what this process does not offer, and closes both', async () => {
  const { there, both } = split(undefined);
  both.ask(call(3, 'mempalace_mine'));
  await settled();
  expect(there.asked.at(-1)).toEqual(call(3, 'mempalace_mine'));
  const own = new Recorder();
  const other = split(own);
  other.both.ask(call(3, 'mempalace_mine'));
  await settled();
  await other.both.close();
  expect([other.there.close.mock.calls.length, own.close.mock.calls.length]).toEqual([1, 1]);
});
