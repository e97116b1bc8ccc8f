import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { greet, REVISIONS } from '../../src/mcp/greeting.js';
import { serveTools } from '../../src/mcp/server.js';
import type { Toolbox } from '../../src/mcp/toolbox.js';
import { LineTransport } from '../../src/mcp/transport.js';

const NO_TOOLS = { list: () => [], find: () => undefined } as unknown as Toolbox;

it('initialize is answered at once as the SDK answers it, for every revision', async () => {
  for (const [asked, given] of [...REVISIONS.map((each) => [each, each]), ['1999-01-01', REVISIONS[0]]]) {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const self = { name: 'mempalace', title: 'Palace', version: '1.2.3', instructions: 'Search.' };
    const client = new LineTransport(input, output, (message) => greet(message, self), 1000);
    client.listen();
    const clientInfo = { name: 'raw', version: '1' };
    const params = { protocolVersion: asked, capabilities: {}, clientInfo };
    const ask = async (id: string): Promise<Record<string, unknown>> => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params })}\n`);
      for (;;) {
        const line = output.read();
        if (line !== null) return JSON.parse(String(line));
        await new Promise((resolve) => output.once('readable', resolve));
      }
    };
    const early = await ask('early');
    expect(early, asked).toMatchObject({ id: 'early', result: { protocolVersion: given } });
    await client.opened;
    const { signal } = new AbortController();
    const served = serveTools(client, NO_TOOLS, { self, signal, onTrouble: () => {} });
    // The SDK answers a second one; its answer to the first is dropped.
    expect(await ask('late'), asked).toEqual({ ...early, id: 'late' });
    input.end();
    await served;
  }
});
