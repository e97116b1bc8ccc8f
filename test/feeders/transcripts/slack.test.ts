import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SLACK_USERS, slackMessage, writtenBelow } from '../../support/exports.js';
import { readTranscripts, timesIn } from '../../support/staged-transcripts.js';

const FILE = 'general/2026-03-04.json';
const read = (messages: readonly unknown[], users = SLACK_USERS) =>
  readTranscripts(join(writtenBelow({ 'users.json': users, [FILE]: JSON.stringify(messages) }), FILE));

describe("Slack's export", () => {
  it('has a source per day and channel; people keep their names, and only bots are the assistant', async () => {
    const { found, skipped } = await read([
      slackMessage(2, 'The zebra gateway, 8443.', { user: 'U2' }),
      slackMessage(1, 'Which port?'),
      slackMessage(3, 'Build passed.', { subtype: 'bot_message', username: 'Hudson', bot_id: 'B1' }),
      slackMessage(5, 'Ask <@U2> or <@U2|bob>, not <@U9>.'),
      slackMessage(4, 'From elsewhere.', { user: 'U9', user_profile: { real_name: 'Cy Cole' } }),
    ]);
    expect(skipped).toEqual([]);
    const day = found.get('slack:general/2026-03-04');
    expect(day).toMatchObject({
      head: { title: '#general 2026-03-04' },
      dates: ['2026-03-04'],
      problems: [],
    });
    const lines = (day?.text ?? '').split('\n').filter((each) => each !== '');
    expect(lines.slice(0, 2)).toEqual([expect.stringMatching(/user/i), 'Ann: Which port?']);
    const text = lines.join('\n');
    expect(text).toMatch(
      /user[^\n]*\nBob Brown: The zebra gateway, 8443\.\n.*assistant[^\n]*\nHudson: Build passed\./i,
    );
    expect(text).toContain('Cy Cole: From elsewhere.');
    expect(text).toContain('Ann: Ask @Bob Brown or @Bob Brown, not <@U9>.');
  });

  it('has attachments, files, and blocks with more than the text', async () => {
    const { found } = await read([
      slackMessage(1, '', {
        bot_id: 'B1',
        attachments: [{ title: 'Alarm', text: 'Disk full', fallback: 'Alarm!' }],
      }),
      slackMessage(2, '', {
        bot_id: 'B1',
        blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'In a block' } }],
      }),
      slackMessage(3, 'Look.', { user: 'U1', files: [{ name: 'a.png' }], blocks: [{ text: 'Look.' }] }),
    ]);
    const text = found.get('slack:general/2026-03-04')?.text ?? '';
    for (const part of ['Alarm', 'Disk full', 'In a block', 'Look.', '[file: a.png]'])
      expect(timesIn(text, part)).toBe(1);
  });

  it('is joined with another export of the channel, each message once', async () => {
    const one = [slackMessage(1, 'Which port?'), slackMessage(2, '8443.', { user: 'U2' })];
    const two = [one[1], slackMessage(3, 'Thanks.')];
    const folder = writtenBelow({ [`a/${FILE}`]: JSON.stringify(one), [`b/${FILE}`]: JSON.stringify(two) });
    const { found } = await readTranscripts(join(folder, 'a', FILE), join(folder, 'b', FILE));
    const text = found.get('slack:general/2026-03-04')?.text ?? '';
    for (const part of ['Which port?', '8443.', 'Thanks.']) expect(timesIn(text, part)).toBe(1);
  });

  it('has unreadable parts named with channel and day, and the rest read', async () => {
    const broken = { type: 'message', user: 'U1', text: 'No time.' };
    const { found } = await read([slackMessage(1, 'Kept.'), broken], 'not JSON');
    const day = found.get('slack:general/2026-03-04');
    expect(day?.text).toContain('U1: Kept.');
    expect(day?.problems).toEqual(['#general 2026-03-04: message 2 cannot be read']);
  });

  it('any day: every text once', async () => {
    const drawn = fc.array(
      fc.tuple(fc.constantFrom('U1', 'U2', 'U3'), fc.constantFrom('', '\n', '<@U9> &amp; ')),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(drawn, async (said) => {
        const all = said.map(([user, odd], at) => slackMessage(at, `word${at}x "q${odd}end`, { user }));
        const text = (await read(all)).found.get('slack:general/2026-03-04')?.text ?? '';
        for (const each of all) expect(timesIn(text, each.text)).toBe(1);
      }),
      { numRuns: 20 },
    );
  });
});
