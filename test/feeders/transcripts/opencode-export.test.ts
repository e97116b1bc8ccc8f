import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writtenBelow } from '../../support/exports.js';
import { exportOf, OpencodeDatabase } from '../../support/opencode-database.js';
import { temporaryFolder } from '../../support/palace.js';
import { readTranscripts, timesIn } from '../../support/staged-transcripts.js';

const read = (content: unknown) =>
  readTranscripts(join(writtenBelow({ 'export.json': JSON.stringify(content, null, 2) }), 'export.json'));

function talk() {
  const database = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
  try {
    const id = database.addSession({
      id: 'ses_1',
      title: 'Ports',
      directory: '/code/shop',
      messages: [
        { role: 'user', parts: ['Which port?', { type: 'text', text: 'Machine words.', synthetic: true }] },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', text: 'Look it up.' },
            {
              type: 'tool',
              tool: 'bash',
              callID: 'c1',
              state: { status: 'completed', input: { command: 'grep port' }, output: 'port 8443' },
            },
            'The zebra gateway, 8443.',
            { type: 'step-finish' },
          ],
        },
        { role: 'user', parts: ['Thanks.'] },
      ],
    });
    return exportOf(database.database, id);
  } finally {
    database.close();
  }
}

describe("opencode's export of a session", () => {
  it('is read like a session of a database', async () => {
    const { found, skipped } = await read(talk());
    expect(skipped).toEqual([]);
    expect([...found.keys()]).toEqual(['opencode:ses_1']);
    const session = found.get('opencode:ses_1');
    expect(session).toMatchObject({
      head: { title: 'Ports', cwd: '/code/shop', harness: 'opencode' },
      problems: [],
    });
    const text = session?.text ?? '';
    expect(text).toMatch(/^\[session: Ports \| \/code\/shop \| \d{4}-\d\d-\d\d\]/);
    for (const part of [
      'Which port?',
      '[reasoning] Look it up.',
      'grep port',
      'port 8443',
      'The zebra gateway, 8443.',
      'Thanks.',
    ])
      expect(timesIn(text, part)).toBe(1);
    expect(text).not.toContain('Machine words.');
    expect(session?.messages).toHaveLength(3);
  });

  it('has no undone messages, and its unreadable parts are named', async () => {
    const session = talk();
    const [, answer, thanks] = session.messages;
    const revert = { messageID: thanks?.info.id };
    const undone = await read({ ...session, info: { ...session.info, revert } });
    expect(undone.found.get('opencode:ses_1')?.text).not.toContain('Thanks.');
    answer?.parts.push({ id: 'prt_zz', type: 'text', text: 7 });
    const broken = await read({ ...session, messages: [...session.messages, { info: 1 }] });
    const { problems, text } = broken.found.get('opencode:ses_1') ?? {};
    expect(text).toContain('Thanks.');
    expect(problems).toEqual([
      expect.stringContaining('session ses_1: message 4'),
      expect.stringContaining('session ses_1: part prt_zz: text'),
    ]);
    const other = await read({ info: session.info, messages: 'none' });
    expect([...other.found.values()].flatMap((each) => each.problems)).toEqual([
      expect.stringContaining('not an export of opencode: messages'),
    ]);
  });
});
