import { createConnection } from 'node:net';
import * as checks from '@modelcontextprotocol/server';
import { expect, it, onTestFinished } from 'vitest';
import { byToken } from '../../src/broker/authenticate.js';
import { HttpListener } from '../../src/broker/http.js';
import { ROOT } from '../../src/rest/api.js';
import { Live } from '../../src/rest/events/live.js';
import type { Palace } from '../../src/store/index.js';
import { asking, writerInto } from '../service/palace.js';
import { ask } from '../support/ask.js';
import { api, CLIENT } from './filled-api.js';

const TOKEN = 'x'.repeat(40);

/** The API behind a real port. */
async function listening(changes: Parameters<typeof api>[0] = {}) {
  const filled = await api(changes);
  const events: string[] = [];
  const listener = new HttpListener(
    {
      host: '127.0.0.1',
      port: 0,
      names: [],
      authenticate: byToken((token) => (token === TOKEN ? CLIENT : undefined)),
      answer: filled.answered,
      onEvent: (text) => events.push(text),
    },
    checks,
  );
  const url = new URL(await listener.listen());
  onTestFinished(() => listener.close());
  const subscribe = () => {
    const socket = createConnection({ host: url.hostname, port: Number(url.port) });
    socket.write(`GET ${ROOT}/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    let text = '';
    socket.on('data', (piece) => {
      text += piece.toString('utf8');
    });
    socket.on('error', () => {});
    const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
    onTestFinished(() => void socket.destroy());
    return { socket, closed, text: () => text };
  };
  return { ...filled, listener, subscribe, events };
}

it('tells what is there, then what is filed, found as facts, run and connected, by this process or another', async () => {
  const { subscribe, service, live, post, folder } = await listening();
  const { text } = subscribe();
  await expect.poll(text).toContain('event: connections\ndata: {"agents":[{"agent":"ada"}]}\n\n');
  expect(text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*content-type: text\/event-stream/i);
  expect(text()).toMatch(/event: filed\ndata: \{"sources":5,"drawers":\d+\}/);
  const draft = { wing: 'wing_a', room: 'log', content: 'Gates squeak.' };
  await ask(service, 'addDrawer', draft);
  await expect.poll(text).toMatch(/event: filed\ndata: \{"sources":6,/);
  await ask(service, 'kgAdd', { subject: 'gate', predicate: 'is', object: 'open' }, asking());
  await expect.poll(text).toContain('event: facts\ndata: {"facts":1,"current_facts":1}');
  // As another process does: with a connection of its own.
  await writerInto(folder).write('mempalace set', async (palace: Palace, run) => {
    palace.runs.add(run, { exitCode: 0, counts: { marked: 1 }, skipped: [] });
  });
  await expect.poll(text).toMatch(/event: run\ndata: \{"id":\d+,"command":"mempalace set"/);
  await post('/run/docs', { project: '/shop' });
  await expect
    .poll(text)
    .toMatch(/event: progress\ndata: \{"run":"[^"]+","command":"mempalace-docs -- \/shop","step":"starting"/);
  await expect.poll(text).toMatch(/event: ended\ndata: \{[^}]+"ok":true,"counts":\{"new":1\}/);
  live.send({ event: 'connections', data: { agents: [] } });
  await expect.poll(text).toContain('data: {"agents":[]}');
});

it('gives signs of life, and ends with its server', async () => {
  const { service } = await api();
  const live = new Live({ service, files: [], limits: { heartbeatMs: 20 }, onTrouble: () => {} });
  const { subscribe, listener } = await listening({ live });
  const { text, closed } = subscribe();
  await expect.poll(() => text().split(': \n\n').length).toBeGreaterThan(3);
  const began = performance.now();
  await listener.close();
  await closed;
  expect(performance.now() - began).toBeLessThan(4_000);
  expect(text()).toContain('\r\n0\r\n\r\n');
});

it('drops a client that does not read; others go on', async () => {
  const { subscribe, live, events } = await listening();
  const [stuck, other] = [subscribe(), subscribe()];
  await expect.poll(stuck.text).toContain('event: filed');
  await expect.poll(other.text).toContain('event: filed');
  stuck.socket.pause();
  const data = { note: 'x'.repeat(30_000) };
  for (let sent = 0; sent < 600 && !events.some((text) => text.includes('does not read')); sent += 1) {
    live.send({ event: 'progress', data });
    await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await expect.poll(() => events).toContainEqual(expect.stringContaining('does not read'));
  stuck.socket.resume();
  await stuck.closed;
  live.send({ event: 'connections', data: { agents: ['still here'] } });
  await expect.poll(other.text).toContain('still here');
}, 30_000);

it('has a limit of streams, which a client that leaves gives back', async () => {
  const { service } = await api();
  const live = new Live({ service, files: [], limits: { streams: 1 }, onTrouble: () => {} });
  const { subscribe } = await listening({ live });
  const first = subscribe();
  await expect.poll(first.text).toContain('event: filed');
  const second = subscribe();
  await expect.poll(second.text).toMatch(/^HTTP\/1\.1 503 [\s\S]*too many streams/);
  first.socket.destroy();
  await expect
    .poll(() => {
      const third = subscribe();
      return expect
        .poll(third.text)
        .toContain('HTTP/1.1')
        .then(() => third.text());
    })
    .toContain('event: filed');
});

it('starts one feeder at a time, of listed projects, and says why it failed', async () => {
  let fail: (error: Error) => void = () => {};
  const { post, subscribe, machine } = await listening();
  machine.feed = () =>
    new Promise((_, reject) => {
      fail = reject;
    });
  expect((await post('/run/docs', { project: '/elsewhere' })).status).toBe(404);
  expect((await post('/run/docs', { project: '/shop' })).status).toBe(200);
  expect((await post('/run/session', {})).status).toBe(409);
  const late = subscribe();
  await expect.poll(late.text).toContain('"step":"starting"');
  fail(new Error('unforeseen'));
  await expect.poll(late.text).toMatch(/event: ended\ndata: \{[^}]+"ok":false,"error":\{"code":"bug"/);
  expect((await post('/run/session', {})).status).toBe(200);
});
