import { describe, expect, it, onTestFinished } from 'vitest';
import { Chat, ChatError, chatAddress } from '../../src/chat/index.js';
import { type ChatServer, chatServer, says, sends } from '../support/chat-server.js';

const QUESTION = [{ role: 'user', content: 'What was done in the session?' }] as const;
const never = new AbortController().signal;

async function opened(limits: ConstructorParameters<typeof Chat>[2] = {}, token?: string) {
  const server = await chatServer();
  const chat = new Chat(chatAddress(server.url, { model: 'small', token }), {}, limits);
  onTestFinished(() => chat.close());
  return { server, chat, ask: () => chat.ask(QUESTION, 50, never) };
}

async function failure(answer: ChatServer['answer'], limits?: ConstructorParameters<typeof Chat>[2]) {
  const { server, ask } = await opened(limits);
  server.answer = answer;
  const error: unknown = await ask().catch((thrown: unknown) => thrown);
  if (!(error instanceof ChatError)) throw error;
  expect(error.hint ?? '').not.toBe('');
  return { ...error, message: error.message.replace(server.url, 'URL'), hint: error.hint };
}

describe('a chat endpoint', () => {
  it('is asked once, with the token, and its count of tokens is used', async () => {
    const { server, ask } = await opened({}, 'a-token');
    expect(await ask()).toEqual({ text: 'The cart was rounded.', tokens: 100 });
    const [{ path, headers, body } = { path: '', headers: {}, body: {} }, ...more] = server.requests;
    expect([path, headers.authorization, more.length]).toEqual(['/v1/chat/completions', 'Bearer a-token', 0]);
    expect(body).toEqual({ model: 'small', stream: false, messages: QUESTION, max_tokens: 50 });
  });

  it.each([undefined, null, {}, { total_tokens: 0 }, { total_tokens: -5 }, { total_tokens: 1e15 }, 'many'])(
    'estimates tokens where the count is %j',
    async (usage) => {
      const { server, ask } = await opened();
      server.answer = says('Twelve chars', usage);
      expect((await ask()).tokens).toBe(Math.ceil(QUESTION[0].content.length / 4) + 3);
    },
  );

  it('leaves out what a model thought, and cuts an answer that ignores the limit', async () => {
    const { server, ask } = await opened();
    server.next = [says('<think>\nHm.\n</think>\n\nDone.'), says('word '.repeat(10_000))];
    expect((await ask()).text).toBe('Done.');
    expect((await ask()).text.length).toBeLessThanOrEqual(2 * 50 * 4);
  });

  it('uses the other name of the limit where the first one is refused', async () => {
    const { server, ask } = await opened();
    const message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.";
    server.next = [sends(400, JSON.stringify({ error: { message } }))];
    expect((await ask()).text).toBe('The cart was rounded.');
    expect(server.requests[1]?.body).toMatchObject({ max_completion_tokens: 50 });
  });
});

describe('an endpoint that fails', () => {
  it.each<[string, ChatServer['answer'], RegExp, boolean]>([
    ['HTML', sends(200, '<html>Log in</html>'), /does not answer as a chat endpoint does$/, true],
    ['no body', sends(200, ''), /does not answer as a chat endpoint does$/, true],
    ['another shape', sends(200, '{"choices":[]}'), /does not answer as a chat endpoint does$/, true],
    ['an error', sends(500, 'oops'), /answered 500$/, true],
    ['too many requests', sends(429, '{}'), /answered 429: it takes no more requests now$/, true],
    ['no access', sends(401, '{}'), /answered 401: it refuses the token$/, true],
    ['too long a question', sends(400, '{"error":"context"}'), /answered 400$/, false],
    ['a redirect', sends(302, '', { location: 'http://127.0.0.2/' }), /redirects to another address/, true],
    ['10 MB', sends(200, 'x'.repeat(10_000_000)), /answered with more than 1000000 bytes$/, true],
    ['a closed connection', (response) => response.destroy(), /does not answer: /, true],
  ])('with %s gets one sentence and a hint', async (_, answer, message, concernsServer) => {
    const error = await failure(answer);
    expect(error.message).toMatch(message);
    expect(error.message).toMatch(/^URL\/chat\/completions /);
    expect(error.concernsServer).toBe(concernsServer);
  });

  it('is not waited for longer than the deadline: silent, or without an end', async () => {
    const silent = await failure(() => {}, { deadlineMs: 200 });
    expect(silent.message).toBe('URL/chat/completions did not answer within 0.2 s');
    const endless = await failure(
      (response) => {
        response.writeHead(200);
        response.write('{"choices":');
        const drip = setInterval(() => response.write(' '), 20);
        response.on('close', () => clearInterval(drip));
      },
      { deadlineMs: 200 },
    );
    expect(endless.message).toBe('URL/chat/completions did not answer within 0.2 s');
    expect(endless.tokens).toBeGreaterThan(0);
  });

  it('counts nothing that was not sent, and quotes what it said only in the hint', async () => {
    const refused = await failure(sends(404, '{"error":{"message":"model small not found"}}'));
    expect([refused.tokens, refused.message, refused.hint]).toEqual([
      0,
      'URL/chat/completions answered 404',
      'it says: model small not found',
    ]);
    const gone = new Chat(chatAddress('http://127.0.0.1:1/v1', { model: 'small' }), {});
    onTestFinished(() => gone.close());
    await expect(gone.ask(QUESTION, 50, never)).rejects.toMatchObject({ tokens: 0, code: 'failed' });
  });

  it('with an empty answer, another question may be answered', async () => {
    const error = await failure(says('  \n', { total_tokens: 7 }));
    expect(error).toMatchObject({ concernsServer: false, tokens: 7 });
  });

  it('is left when the caller leaves', async () => {
    const { server, chat } = await opened();
    server.answer = () => {};
    const leaving = new AbortController();
    const asked = chat.ask(QUESTION, 50, leaving.signal);
    setTimeout(() => leaving.abort(new Error('left')), 50);
    await expect(asked).rejects.toThrow('left');
  });
});
