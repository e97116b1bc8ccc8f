import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { greet, REVISIONS } from '../../src/mcp/greeting.js';
import { chooseTools } from '../../src/mcp/registry.js';
import { serveTools } from '../../src/mcp/server.js';
import { listEarly } from '../../src/mcp/tool-list.js';
import { listed, type Toolbox } from '../../src/mcp/toolbox.js';
import { LineTransport } from '../../src/mcp/transport.js';

const SELF = { name: 'mempalace', title: 'Palace', version: '1.2.3', instructions: 'Search.' };
const ask = (params?: object) => ({ jsonrpc: '2.0', id: 7, method: 'tools/list', ...(params && { params }) });

/** A client of a server whose tools are not there yet. */
function session(tools: string, readOnly: boolean, revision: string = REVISIONS[0]) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const client = new LineTransport(input, output, (message) => greet(message, SELF), 1_000);
  client.listen();
  const write = (message: object): void => void input.write(`${JSON.stringify(message)}\n`);
  const read = async (id: unknown): Promise<Record<string, unknown>> => {
    for (;;) {
      const answer = output.read();
      const found = String(answer ?? '')
        .split('\n')
        .filter(Boolean)
        .map((each) => JSON.parse(each))
        .find((each) => each.id === id);
      if (found !== undefined) return found;
      await new Promise((resolve) => output.once('readable', resolve));
    }
  };
  const clientInfo = { name: 'raw', version: '1' };
  const initialize = { protocolVersion: revision, capabilities: {}, clientInfo };
  const serve = async (): Promise<void> => {
    const list = chooseTools(tools)
      .filter(({ writes }) => !(readOnly && writes))
      .map(listed);
    const toolbox = { list: () => list, find: () => undefined } as unknown as Toolbox;
    await serveTools(client, toolbox, {
      self: SELF,
      signal: new AbortController().signal,
      onTrouble: () => {},
    });
  };
  const begin = (): void => write({ jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize });
  return { client, write, read, begin, serve, end: () => input.end() };
}

describe('tools/list before the tools are there', () => {
  it.each([
    ['core', false],
    ['core', true],
    ['all', false],
    ['all', true],
    ['tasks,search,mempalace_show', false],
  ])('as the SDK answers it: --tools %s, read-only %s', async (tools, readOnly) => {
    for (const revision of REVISIONS) {
      const { client, write, read, begin, serve, end } = session(tools, readOnly, revision);
      begin();
      await read(1);
      write(ask());
      client.answerWaiting((message) => listEarly(message, { tools, readOnly }));
      const early = await read(7);
      const served = serve();
      await new Promise((resolve) => setImmediate(resolve));
      write({ ...ask({ _meta: { progressToken: 1 } }), id: 8 });
      expect({ ...early, id: 8 }, revision).toEqual(await read(8));
      end();
      await served;
    }
  });

  it('answers once, also what comes later, and delivers neither', async () => {
    const { client, write, read, begin } = session('core', false);
    begin();
    write(ask());
    await read(1);
    client.answerWaiting((message) => listEarly(message, { tools: 'core' }));
    await read(7);
    write({ ...ask({ _meta: { progressToken: 0 } }), id: 9 });
    write({ ...ask({ cursor: 'x' }), id: 10 });
    await read(9);
    const delivered: unknown[] = [];
    client.onmessage = (message) => delivered.push((message as { id?: unknown }).id);
    await client.start();
    expect(delivered).toEqual([1, 10]);
  });

  it('waits for requests that only the tools can answer', async () => {
    const { client, write, read, begin, end } = session('core', false);
    let needed = false;
    void client.needed.then(() => {
      needed = true;
    });
    begin();
    await read(1);
    client.answerWaiting((message) => listEarly(message, { tools: 'core' }));
    write({ jsonrpc: '2.0', method: 'notifications/initialized' });
    write(ask());
    await read(7);
    expect(needed).toBe(false);
    write({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'mempalace_status' } });
    await client.needed;
    end();
  });

  it('waits no longer for a client that says no more', async () => {
    const { client, begin, end } = session('core', false);
    begin();
    end();
    await client.needed;
  });

  it('a session that did not begin with initialize has to wait', async () => {
    const { client, write } = session('core', false);
    write(ask());
    await client.opened;
    let asked = false;
    client.answerWaiting(() => {
      asked = true;
      return undefined;
    });
    expect(asked).toBe(false);
  });

  it.each([
    ['another method', { ...ask(), method: 'tools/call' }],
    ['a page', ask({ cursor: 'x' })],
    ['a revision without initialize', ask({ _meta: { 'io.modelcontextprotocol/clientInfo': {} } })],
    ['parameters that are none', { ...ask(), params: 7 }],
  ])('leaves to the server: %s', (_, message) => {
    expect(listEarly(message, { tools: 'core' })).toBeUndefined();
  });

  it('leaves a tool that does not exist to the server, which names it', () => {
    expect(listEarly(ask(), { tools: 'core,mow' })).toBeUndefined();
  });
});
