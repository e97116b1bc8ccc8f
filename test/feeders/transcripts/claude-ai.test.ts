import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claudeConversation, writtenBelow } from '../../support/exports.js';
import { readTranscripts, timesIn } from '../../support/staged-transcripts.js';

const read = (content: unknown) =>
  readTranscripts(
    join(writtenBelow({ 'conversations.json': JSON.stringify(content) }), 'conversations.json'),
  );

describe("Claude.ai's export", () => {
  const one = claudeConversation('one', ['Which port?', 'The zebra gateway, 8443.']);
  const two = claudeConversation('two', ['Name a bird.', 'Heron.']);

  it.each([
    ['a list', [one, two]],
    ['an object with conversations', { version: 2, conversations: [one, two] }],
  ])('as %s: each conversation is a source', async (_, content) => {
    const { found, skipped } = await read(content);
    expect(skipped).toEqual([]);
    expect([...found.keys()]).toEqual(['claude-ai:one', 'claude-ai:two']);
    expect(found.get('claude-ai:one')).toMatchObject({ head: { title: 'About one' }, dates: ['2026-03-04'] });
    const text = found.get('claude-ai:one')?.text ?? '';
    for (const said of ['Which port?', 'The zebra gateway, 8443.']) expect(timesIn(text, said)).toBe(1);
  });

  const said = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Which port?' },
    { role: 'assistant', content: [{ type: 'text', text: 'The zebra gateway, 8443.' }] },
  ];
  it.each([
    ['a bare list of messages', said],
    ['an object with messages', { messages: said }],
    ['messages in a list', [{ title: 'T', messages: said }]],
    ['one conversation', one],
  ])('%s is one', async (_, content) => {
    const { found, skipped } = await read(content);
    expect(skipped).toEqual([]);
    expect(found.size).toBe(1);
    const [[key, { text }] = ['', { text: '' }]] = found;
    expect(key).toMatch(/^claude-ai:/);
    for (const each of ['Which port?', 'The zebra gateway, 8443.']) expect(timesIn(text, each)).toBe(1);
  });

  it('has thoughts, calls, results, attachments and files once, and text that is only in `text`', async () => {
    const talk = claudeConversation('kinds', [
      'See this.',
      'Done.\nThis block is not supported on your current device yet.\nRight.',
    ]);
    const [asked, answered] = talk.chat_messages;
    asked?.attachments.push({ file_name: 'log.txt', extracted_content: 'zebra crossed' });
    asked?.files.push({ file_name: 'plan.png' });
    if (answered !== undefined)
      answered.content = [
        { type: 'thinking', thinking: 'Weigh it.' },
        { type: 'tool_use', id: 't1', name: 'web_search', input: { query: 'stripes' } },
        {
          type: 'tool_result',
          tool_use_id: 't1',
          content: [{ type: 'knowledge', title: 'Zoo', url: 'https://zoo.example' }],
        },
        { type: 'text', text: 'Done.' },
      ];
    const text = (await read([talk])).found.get('claude-ai:kinds')?.text ?? '';
    const wanted = [
      'See this.',
      '[attachment: log.txt]',
      'zebra crossed',
      '[file: plan.png]',
      '[reasoning] Weigh it.',
    ];
    for (const part of [...wanted, 'stripes', 'https://zoo.example', 'Done.', 'Right.'])
      expect(timesIn(text, part)).toBe(1);
    expect(text).not.toContain('not supported');
  });

  it('has every branch once if messages name their parents', async () => {
    const talk = claudeConversation('tree', ['Name a bird.', 'Heron.', 'Smaller?', 'Magpie.']);
    const parents = ['00000000-0000-4000-8000-000000000000', 'tree-0', 'tree-1', 'tree-0'];
    talk.chat_messages.forEach((each, index) => {
      Object.assign(each, { parent_message_uuid: parents[index] });
    });
    const text = (await read([talk])).found.get('claude-ai:tree')?.text ?? '';
    for (const each of ['Name a bird.', 'Heron.', 'Smaller?', 'Magpie.']) expect(timesIn(text, each)).toBe(1);
    expect(text).toMatch(/\[branch 2, after message 1\]\s+Magpie\./);
    expect(timesIn(text, '[branch')).toBe(1);
  });

  it('has malformed parts named with their conversation, and the rest read', async () => {
    const half = claudeConversation('half', ['Kept.', 'Lost.']);
    Object.assign(half.chat_messages[1] ?? {}, { sender: 7 });
    const { found } = await read([one, { uuid: 'bad', name: 'Broken', chat_messages: 'x' }, half]);
    expect(found.get('claude-ai:one')).toMatchObject({ problems: [] });
    expect(found.get('claude-ai:half')?.text).toContain('Kept.');
    const problems = [...found.values()].flatMap((each) => each.problems);
    expect(problems).toEqual([
      'conversation "Broken" (bad): not a conversation of Claude.ai (no chat_messages)',
      'conversation "About half" (half): message 2 cannot be read',
    ]);
  });

  it('any export: every text once', async () => {
    const talks = fc.array(
      fc.array(fc.tuple(fc.constantFrom('', '\n', '$&'), fc.boolean()), { minLength: 1, maxLength: 6 }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(talks, async (drawn) => {
        const all = drawn.map((said, number) => {
          const talk = claudeConversation(
            `c${number}`,
            said.map(([white], at) => `word${number}x${at}x "q${white}end`),
          );
          talk.chat_messages.forEach((each, at) => {
            if (said[at]?.[1] === true) each.content = [];
          });
          return talk;
        });
        const { found } = await read(all);
        for (const { uuid, chat_messages } of all)
          for (const { text } of chat_messages)
            expect(timesIn(found.get(`claude-ai:${uuid}`)?.text ?? '', text)).toBe(1);
      }),
      { numRuns: 25 },
    );
  });
});
