import { appendFileSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type MessagePlan, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { Feeder, foldTurns, readTranscript, temporaryFolder, textsOf } from './helpers.js';

const TEXTS = ['Q0', 'A1', 'Q2', 'A3'];

/** Messages with two parts each, with the ids of the JSON files. */
function plans(texts: readonly string[], start = 0): MessagePlan[] {
  return texts.map((text, index) => ({
    id: `msg_${start + index}`,
    role: text.startsWith('Q') ? 'user' : 'assistant',
    at: START_MS + (start + index) * 1_000,
    parts: [text, `${text} more`].map((said, part) => ({
      id: `prt_${start + index}_${part}`,
      raw: JSON.stringify({ type: 'text', text: said }),
    })),
  }));
}

const whole = (texts: readonly string[]) => texts.flatMap((text) => [text, `${text} more`]);

/** The JSON files of opencode 1.1. */
function storage(root: string, sessionId: string, messages: readonly MessagePlan[]): void {
  const write = (path: string, name: string, json: object) => {
    mkdirSync(join(root, 'storage', path), { recursive: true });
    writeFileSync(join(root, 'storage', path, `${name}.json`), JSON.stringify(json));
  };
  const time = { created: START_MS, updated: START_MS };
  write('session/global', sessionId, { id: sessionId, directory: '/home/dev/shop', title: 'Stored', time });
  for (const { id = '', role, at = 0, parts = [] } of messages) {
    write(`message/${sessionId}`, id, { id, role, time: { created: at } });
    for (const part of parts) {
      if (typeof part !== 'object' || !('raw' in part) || typeof part.id !== 'string') continue;
      write(`part/${id}`, part.id, { ...JSON.parse(String(part.raw)), id: part.id });
    }
  }
}

it('NUL bytes that a crash left behind JSON files are no part of them', async () => {
  const root = temporaryFolder();
  storage(root, 'ses_a', plans(TEXTS));
  const names = readdirSync(join(root, 'storage'), { recursive: true, encoding: 'utf8' });
  for (const name of names.filter((each) => each.endsWith('.json')))
    appendFileSync(join(root, 'storage', name), `\n${'\0'.repeat(512)}`);
  const run = await new Feeder(join(root, 'storage')).stage();
  expect(run.sources.map((source) => textsOf(source))).toEqual([whole(TEXTS)]);
});

describe('a database whose migration stopped halfway', () => {
  const all = plans(TEXTS);
  const withParts = (count: number) => (message: MessagePlan, index: number) =>
    index < count ? message : { ...message, parts: [] };

  it.each([
    ['the session only', []],
    ['messages without parts', all.map(withParts(0))],
    ['the parts of some messages', all.map(withParts(2))],
    ['fewer messages', all.slice(0, 2)],
    ['later messages only', all.slice(2)],
  ])('has %s: the rest is taken from the JSON files', async (_, messages) => {
    const root = temporaryFolder();
    const database = new OpencodeDatabase(join(root, 'opencode.db'));
    database.addSession({ id: 'ses_a', title: 'A', messages });
    database.close();
    storage(root, 'ses_a', all);
    storage(root, 'ses_b', plans(['Q of b'], 10));
    const feeder = new Feeder(root);
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('A'))).toEqual(whole(TEXTS));
    expect(run.skipped).toEqual([]);
    feeder.file(run);
    expect((await feeder.survey()).sessions().map(({ status }) => status)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  it.each([
    ['empty parts', `UPDATE part SET data = '{"type":"text","text":""}'`],
    ['parts that are null', "UPDATE part SET data = 'null'"],
    ['damaged parts', `UPDATE part SET data = '{"type":"te' WHERE message_id = 'msg_1'`],
    ['damaged messages', "UPDATE message SET data = '{}'"],
    ['no rows of sessions', "DELETE FROM session; DELETE FROM message WHERE id < 'msg_3'"],
  ])('has %s: the rest is taken from the JSON files', async (_, damage) => {
    const root = temporaryFolder();
    const database = new OpencodeDatabase(join(root, 'opencode.db'));
    database.addSession({ id: 'ses_a', title: 'Stored', messages: all });
    database.database.exec(damage);
    database.close();
    storage(root, 'ses_a', all.slice(0, 3));
    // Only the database has the last message.
    if (damage.startsWith('UPDATE')) storage(root, 'ses_a', all);
    const run = await new Feeder(root).stage();
    expect(textsOf(run.byTitle('Stored'))).toEqual(whole(TEXTS));
    expect(run.skipped).toEqual([]);
  });

  it('has a tool that has not finished, and the JSON files its output', async () => {
    const root = temporaryFolder();
    const database = new OpencodeDatabase(join(root, 'opencode.db'));
    const call = { type: 'tool', callID: 'call_1', tool: 'bash' };
    const withCall = (state: object) =>
      all.map((message) =>
        message.id === 'msg_1'
          ? { ...message, parts: [{ id: 'prt_call', raw: JSON.stringify({ ...call, state }) }] }
          : message,
      );
    const input = { command: 'make' };
    database.addSession({ id: 'ses_a', title: 'A', messages: withCall({ status: 'running', input }) });
    database.close();
    storage(root, 'ses_a', withCall({ status: 'completed', input, output: 'MADE' }));
    const run = await new Feeder(root).stage();
    expect(JSON.stringify(readTranscript(run.byTitle('A')))).toContain('MADE');
  });

  it('has one part too few in a message, beside a session without messages', async () => {
    const root = temporaryFolder();
    const database = new OpencodeDatabase(join(root, 'opencode.db'));
    const [first, ...rest] = all;
    database.addSession({
      id: 'ses_a',
      title: 'A',
      messages: [{ ...first, parts: first?.parts?.slice(1) }, ...rest],
    });
    database.addSession({ id: 'ses_b', title: 'B' });
    database.close();
    storage(root, 'ses_a', all);
    storage(root, 'ses_b', plans(['Q of b'], 10));
    const run = await new Feeder(root).stage();
    expect(textsOf(run.byTitle('A'))).toEqual(whole(TEXTS));
  });

  it('has parts whose messages are only in the JSON files', async () => {
    const root = temporaryFolder();
    const database = new OpencodeDatabase(join(root, 'opencode.db'));
    database.addSession({ id: 'ses_a', title: 'A', messages: all });
    database.database.exec("DELETE FROM message WHERE id = 'msg_1'");
    database.close();
    storage(root, 'ses_a', all.map(withParts(0)));
    const run = await new Feeder(root).stage();
    expect(textsOf(run.byTitle('A'))).toEqual(whole(TEXTS));
    expect(run.skipped).toEqual([]);
  });
});

it('links in the folder of JSON files are followed', async () => {
  const [root, disk] = [temporaryFolder(), temporaryFolder()];
  storage(root, 'ses_a', plans(TEXTS));
  const moved = ['session/global', 'message/ses_a/msg_0.json', 'part/msg_1', 'part/msg_2/prt_2_0.json'];
  for (const [index, path] of moved.entries()) {
    renameSync(join(root, 'storage', path), join(disk, String(index)));
    symlinkSync(join(disk, String(index)), join(root, 'storage', path));
  }
  symlinkSync(join(disk, 'none'), join(root, 'storage/part/msg_3/prt_none.json'));
  const run = await new Feeder(root).stage();
  expect(textsOf(run.byTitle('Stored'))).toEqual(whole(TEXTS));
  expect(run.skipped).toEqual([]);
});

describe('a session that went on in two databases', () => {
  it('is one source with all its words, in time order', async () => {
    const [one, two] = ['opencode.db', 'opencode-next.db'].map((name, index) => {
      const root = temporaryFolder();
      const database = new OpencodeDatabase(join(root, name));
      const common = plans(TEXTS.slice(0, 2));
      const own = plans(
        ['Q of', 'A of'].map((text) => `${text} ${index}`),
        10 + index * 10,
      );
      const updated = START_MS + index;
      database.addSession({ id: 'ses_a', title: `Title ${index}`, updated, messages: [...common, ...own] });
      return database;
    });
    const feeder = new Feeder(one?.path ?? '', two?.path ?? '');
    const run = await feeder.stage();
    const texts = whole(['Q0', 'A1', 'Q of 0', 'A of 0', 'Q of 1', 'A of 1']);
    expect(textsOf(run.byTitle('Title 1'))).toEqual(texts);
    feeder.file(run);
    one?.addMessage('ses_a', { at: START_MS + 60_000, parts: ['Q late'] });
    const grown = await feeder.stage();
    expect(textsOf(grown.byTitle('Title 1'))).toEqual([...texts, 'Q late']);
    one?.close();
    two?.close();
  });

  it('has the more complete copy of a part that differs', async () => {
    const call = { type: 'tool', callID: 'call_1', tool: 'bash' };
    const parts = (state: object, text: string) => [
      { id: 'prt_1', raw: JSON.stringify({ ...call, state: { input: { command: 'ls' }, ...state } }) },
      { id: 'prt_2', raw: JSON.stringify({ type: 'text', text }) },
    ];
    const [one, two] = [
      parts({ status: 'running' }, ''),
      parts({ status: 'completed', output: 'a.ts' }, 'One file.'),
    ].map((each, index) => {
      const database = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
      // The newer database has the unfinished copy.
      const messages = [{ id: 'msg_1', role: 'assistant', at: START_MS + 1_000, parts: each }];
      database.addSession({ id: 'ses_a', messages, updated: START_MS + (index === 0 ? 9e6 : 0) });
      database.close();
      return database.path;
    });
    const { sources } = await new Feeder(one ?? '', two ?? '').stage();
    const turns = sources.flatMap((source) => foldTurns(readTranscript(source)).slice(1));
    expect(turns).toMatchObject([{ texts: ['One file.'], calls: [{ result: 'a.ts', isError: false }] }]);
  });
});
