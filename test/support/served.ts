import { request as httpRequest } from 'node:http';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { TestEnv } from './test-env.js';

interface Answer {
  status: number | undefined;
  headers: Record<string, unknown>;
  body: string;
}

export interface Served {
  url: string;
  pid: number;
  /** All that it printed. */
  printed(): string;
  /** Ends it in order. @returns the exit code */
  stop(): Promise<number | undefined>;
  /** A plain request, for headers that a client of the protocol would not send. */
  request(options: {
    path?: string;
    method?: string;
    headers?: Record<string, string>;
    body?: string;
  }): Promise<Answer>;
}

/** Starts `mempalace serve` on a free port; it ends with the test. */
export async function served(env: TestEnv, args: readonly string[] = []): Promise<Served> {
  const server = env.start('mempalace', ['serve', '--port', '0', ...args]);
  let text = '';
  const url = await new Promise<string>((resolve, reject) => {
    const take = (piece: Buffer): void => {
      text += piece.toString('utf8');
      const [, found] = /^(http:\S+)$/m.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    };
    server.stdout?.on('data', take);
    server.stderr?.on('data', take);
    void server.then(() => reject(new Error(`it ended: ${text}`)));
  });
  const stop = async (): Promise<number | undefined> => {
    server.kill('SIGTERM');
    return (await server).exitCode;
  };
  onTestFinished(async () => {
    server.kill('SIGKILL');
    await server;
  });
  const { hostname: host, port, pathname } = new URL(url);
  return {
    url,
    pid: server.pid ?? 0,
    printed: () => text,
    stop,
    request: ({ path = pathname, method = 'POST', headers = {}, body = '' }) =>
      new Promise((resolve, reject) => {
        const request = httpRequest({ host, port, path, method, headers, agent: false }, (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('end', () => {
            const { statusCode: status, headers: given } = response;
            resolve({ status, headers: given, body: Buffer.concat(pieces).toString('utf8') });
          });
        });
        request.on('error', reject);
        request.end(body);
      }),
  };
}

/** The SDK's own client over HTTP; it ends with the test. */
export async function connectedTo(url: string, token: string) {
  const client = new Client({ name: 'test-client', version: '1.2.3' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const answer = await client.callTool({ name: `mempalace_${name}`, arguments: given });
    const [content] = answer.content;
    const text = content?.type === 'text' ? content.text : '{}';
    if (answer.isError === true) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as Record<string, unknown>;
  };
  return { client, call };
}
