import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AT, chatGptConversation, inTurn, writtenBelow } from '../../support/exports.js';
import { readTranscripts, timesIn } from '../../support/staged-transcripts.js';

const read = (content: unknown) =>
  readTranscripts(
    join(
      writtenBelow({ 'conversations.json': typeof content === 'string' ? content : JSON.stringify(content) }),
      'conversations.json',
    ),
  );

describe("ChatGPT's export", () => {
  it('has many conversations, each a source with its title and day', async () => {
    const { found, skipped } = await read([
      chatGptConversation('one', inTurn('Which port?', 'The zebra gateway, 8443.')),
      chatGptConversation('two', inTurn('Hi.')),
    ]);
    expect(skipped).toEqual([]);
    expect([...found.keys()]).toEqual(['chatgpt:one', 'chatgpt:two']);
    const one = found.get('chatgpt:one');
    expect(one).toMatchObject({ head: { title: 'About one' }, dates: ['2026-03-04'], problems: [] });
    expect(one?.text).toMatch(/Which port\?[\s\S]*The zebra gateway, 8443\./);
    expect(one?.text).not.toContain('[branch');
  });

  it('has every branch, with shared messages once, and marks where each begins', async () => {
    const said = [
      { id: 'q', text: 'Name a bird.' },
      { id: 'a1', parent: 'q', text: 'Heron.' },
      { id: 'q1', parent: 'a1', text: 'Bigger?' },
      { id: 'r1', parent: 'q1', text: 'Ostrich.' },
      { id: 'a2', parent: 'q', text: 'Magpie.', role: 'assistant' },
      { id: 'q3', parent: 'a1', text: 'Smaller?', role: 'user' },
    ];
    const { found } = await read([chatGptConversation('birds', said)]);
    const text = found.get('chatgpt:birds')?.text ?? '';
    for (const each of said) expect(timesIn(text, each.text)).toBe(1);
    const order = [
      'Name a bird.',
      'Heron.',
      'Bigger?',
      'Ostrich.',
      '[branch 2, after message 2]',
      'Smaller?',
    ];
    order.push('[branch 2, after message 1]', 'Magpie.');
    const places = order.map((each) => text.indexOf(each));
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(timesIn(text, '[branch')).toBe(2);
  });

  it('has code, results, thoughts, pictures and files, but not hidden messages', async () => {
    const conversation = chatGptConversation('kinds', inTurn('See this.', '', '', '', '', ''));
    const message = (id: string, more: object) =>
      Object.assign((conversation.mapping[id] as { message: object }).message, more);
    message('m0', {
      content: {
        content_type: 'multimodal_text',
        parts: [{ content_type: 'image_asset_pointer' }, 'See this.'],
      },
      metadata: { attachments: [{ name: 'plan.pdf' }] },
    });
    message('m1', { recipient: 'python', content: { content_type: 'code', text: 'print("zebra")' } });
    message('m2', {
      author: { role: 'tool', name: 'python' },
      content: { content_type: 'execution_output', text: 'zebra!' },
    });
    message('m3', {
      content: { content_type: 'thoughts', thoughts: [{ summary: 'Weighing', content: 'Stripes matter.' }] },
    });
    message('m4', {
      author: { role: 'system' },
      content: { content_type: 'text', parts: ['You are hidden.'] },
    });
    message('m5', { content: { content_type: 'riddle', body: 'x' } });
    const text = (await read([conversation])).found.get('chatgpt:kinds')?.text ?? '';
    for (const part of [
      '[image]',
      'See this.',
      '[file: plan.pdf]',
      '[to python]',
      'print("zebra")',
      'zebra!',
      'Stripes matter.',
    ])
      expect(timesIn(text, part)).toBe(1);
    expect(text).not.toContain('hidden');
  });

  it('has malformed parts named with their conversation, and the rest read', async () => {
    const good = chatGptConversation('good', inTurn('Which port?', '8443.'));
    const broken = { title: 'Broken', conversation_id: 'bad', mapping: ['x'] };
    const half = chatGptConversation('half', inTurn('Kept.', 'Lost.'));
    half.mapping.m1 = { id: 'm1', parent: 'm0', children: [], message: { author: 'nobody' } };
    const file = JSON.stringify([broken, half, good, null]).replace(
      /null]$/,
      '{"title": "Bad \\x escape"}, {"cut": ',
    );
    const { found } = await read(file);
    expect(found.get('chatgpt:good')).toMatchObject({ problems: [] });
    expect(found.get('chatgpt:half')?.text).toContain('Kept.');
    const problems = [...found.values()].flatMap((each) => each.problems).join('\n');
    expect(problems).toContain('conversation "About half" (half): message m1 cannot be read');
    expect(problems).toMatch(/conversation "Broken" \(bad\): not a conversation of ChatGPT|a value instead/);
    expect(problems).toContain('not JSON (cut off?)');
  });

  it('is read from the latest of two exports, or from a file with one conversation', async () => {
    const older = chatGptConversation('talk', inTurn('Which port?'), AT);
    const newer = chatGptConversation('talk', inTurn('Which port?', '8443.'), AT + 60);
    const folder = writtenBelow({ 'a.json': JSON.stringify([newer]), 'b.json': JSON.stringify(older) });
    const { found, skipped } = await readTranscripts(join(folder, 'a.json'), join(folder, 'b.json'));
    expect(found.get('chatgpt:talk')?.text).toContain('8443.');
    expect(skipped).toMatchObject([{ reason: 'older copy of a session', origin: join(folder, 'b.json') }]);
  });

  it('any tree of messages: every text once', async () => {
    const tree = fc.array(
      fc.record({ up: fc.nat(), white: fc.constantFrom('', ' ', '\n'), user: fc.boolean() }),
      { minLength: 1, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 1, maxLength: 4 }), fc.nat(4), async (trees, indent) => {
        const texts: [string, string[]][] = [];
        const all = trees.map((nodes, number) => {
          const said = nodes.map(({ up, white, user }, index) => ({
            id: `n${index}`,
            parent: up % (index + 1) === index ? undefined : `n${up % (index + 1)}`,
            text: `word${number}x${index}x "quoted\\"${white}end`,
            role: user ? 'user' : 'assistant',
          }));
          texts.push([`chatgpt:c${number}`, said.map(({ text }) => text)]);
          return chatGptConversation(`c${number}`, said);
        });
        const { found } = await read(JSON.stringify(all, null, indent));
        for (const [key, wanted] of texts)
          for (const text of wanted) expect(timesIn(found.get(key)?.text ?? '', text)).toBe(1);
        expect(found.size).toBe(texts.length);
      }),
      { numRuns: 25 },
    );
  });
});
