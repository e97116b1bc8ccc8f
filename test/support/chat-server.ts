import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const asked = z.object({
  model: z.string(),
  stream: z.literal(false),
  messages: z.array(z.object({ role: z.string(), content: z.string() })),
  max_tokens: z.int().optional(),
  max_completion_tokens: z.int().optional(),
});

/** A chat endpoint on the loopback interface, which answers what a test says. */
export interface ChatServer {
  /** Ends in `/v1`. */
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: z.infer<typeof asked> }[];
  /** The next answers, the first one first; then `answer`. */
  next: ((response: ServerResponse) => void)[];
  answer: (response: ServerResponse) => void;
}

/** An answer of the documented shape. */
export const says =
  (content: string | null, usage?: unknown) =>
  (response: ServerResponse): void => {
    const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
    sends(200, JSON.stringify({ object: 'chat.completion', choices, usage }))(response);
  };

export const sends =
  (status: number, body: string, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body);
  };

/** Listens until the test is finished. */
export async function chatServer(): Promise<ChatServer> {
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = asked.parse(JSON.parse(Buffer.concat(parts).toString('utf8')));
      chat.requests.push({ path: request.url ?? '', headers: request.headers, body });
      (chat.next.shift() ?? chat.answer)(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = z.custom<AddressInfo>().parse(server.address());
  const chat: ChatServer = {
    url: `http://127.0.0.1:${port}/v1`,
    requests: [],
    next: [],
    answer: says('The cart was rounded.', { total_tokens: 100 }),
  };
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return chat;
}
