import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';

const Request = z.object({
  messages: z.array(z.object({ role: z.string(), content: z.unknown() })),
  tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })).optional(),
});
type Asked = z.infer<typeof Request>;

/** A tool call instead of an answer; `tool` is the end of the tool's name. */
interface ToolCall {
  tool: string;
  arguments: Record<string, unknown>;
}

/**
 * @param results the results of the tools called since the question
 * @param system the system prompt
 */
type Answer = (question: string, results: readonly string[], system: string) => string | ToolCall;

/** The model's answers: `answer` for each question, and a title on request. */
export interface ScriptedModel {
  /** Base address of an OpenAI-compatible server on the loopback interface. */
  url: string;
  /** What was asked, in order. */
  requests: readonly Asked[];
  close(): void;
}

/**
 * A model for real opencode and pi that answers by a script, in the streamed form of OpenAI's chat
 * completions.
 */
export async function scriptedModel(answer: Answer): Promise<ScriptedModel> {
  const requests: Asked[] = [];
  const server = createServer((request, response) => {
    void respond(request, response, answer, requests);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, requests, close: () => server.close() };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
  requests: Asked[],
): Promise<void> {
  if (request.url?.endsWith('/chat/completions') !== true) {
    response.setHeader('content-type', 'application/json').end('{"object":"list","data":[]}');
    return;
  }
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const body = Request.parse(JSON.parse(Buffer.concat(pieces).toString()));
  requests.push(body);
  const { messages, tools = [] } = body;
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const question = textOf(messages[asked]?.content);
  const results = messages
    .slice(asked)
    .flatMap(({ role, content }) => (role === 'tool' ? [textOf(content)] : []));
  const system = messages.flatMap(({ role, content }) => (role === 'system' ? [textOf(content)] : []));
  // opencode's requests for titles offer no tools.
  const reply = tools.length === 0 ? 'A titled talk' : answer(question, results, system.join('\n'));
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: unknown[], more: object = {}) =>
    response.write(
      `data: ${JSON.stringify({ id: 'answer', object: 'chat.completion.chunk', created: 0, model: 'scripted', choices, ...more })}\n\n`,
    );
  const say = (delta: object) =>
    send([{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: null }]);
  if (typeof reply === 'string') for (const content of reply.match(/.{1,40}/gsu) ?? []) say({ content });
  else {
    const name = tools.map((each) => each.function.name).find((each) => each.endsWith(reply.tool));
    const call = { name: name ?? reply.tool, arguments: JSON.stringify(reply.arguments) };
    say({ tool_calls: [{ index: 0, id: `call_${results.length}`, type: 'function', function: call }] });
  }
  send([{ index: 0, delta: {}, finish_reason: typeof reply === 'string' ? 'stop' : 'tool_calls' }]);
  send([], { usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 } });
  response.end('data: [DONE]\n\n');
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = z.array(z.object({ text: z.string().optional() })).safeParse(content);
  return parts.success ? parts.data.map(({ text = '' }) => text).join('\n') : '';
}
