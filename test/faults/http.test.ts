import { readFileSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withBroker } from '../support/broker.js';
import { connected } from '../support/mcp-client.js';
import { residentMb } from '../support/memory.js';
import { filledMachine } from '../support/real-palace.js';
import { connectedTo, type Served, served } from '../support/served.js';
import { times } from '../support/thorough.js';

const machine = filledMachine();
const CONNECTIONS = times(400, 1_000);

async function serving() {
  const env = withBroker((await machine()).env);
  const server = await served(env);
  return { env, server, token: readFileSync(join(env.palace, 'serve-token'), 'utf8').trim() };
}

function connection({ url }: Served): Socket {
  const { hostname: host, port } = new URL(url);
  const stream = createConnection({ host, port: Number(port) });
  stream.on('error', () => {});
  onTestFinished(() => void stream.destroy());
  return stream;
}

describe('connections over HTTP', () => {
  it('that say nothing are cut: then clients get in again, and agents of the machine never wait', async () => {
    const { env, server, token } = await serving();
    const silent = Array.from({ length: CONNECTIONS }, () => connection(server));
    const closed = silent.map((stream) => new Promise((resolve) => stream.once('close', resolve)));
    expect((await (await connected(env)).done('status')).total_drawers).toBeGreaterThan(0);
    await Promise.all(closed);
    expect((await (await connectedTo(server.url, token)).call('status')).palace).toBe(env.palace);
  });

  it('of a client that does not read do not fill the memory, and others are served', async () => {
    const { env, server, token } = await serving();
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
    const head = [
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${body.length}`,
    ];
    const requests = `${head.join('\r\n')}\r\n\r\n${body}`.repeat(1_000);
    const deaf = Array.from({ length: 5 }, () => connection(server).pause());
    // Each answer has ten kilobytes.
    for (const stream of deaf) for (let round = 0; round < 4; round += 1) stream.write(requests);
    const reader = await connectedTo(server.url, token);
    for (let calls = 0; calls < 20; calls += 1) await reader.call('status');
    await (await connected(env)).done('status');
    expect(residentMb(server.pid)).toBeLessThan(500);
  });
});
