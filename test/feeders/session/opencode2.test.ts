import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../../src/feeders/session/layouts.js';
import { countMessages } from '../../../src/feeders/session/messages.js';
import { sessionTail } from '../../../src/feeders/session/tail.js';
import { exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import {
  answered,
  asked,
  MESSAGES_2,
  type Message2,
  Opencode2Database,
  SESSIONS_2,
} from '../../support/opencode2-database.js';
import { Feeder, foldTurns, type Run, readTranscript, temporaryFolder, textsOf } from './helpers.js';

const tool = (name: string, state: Record<string, unknown>, id = `call_${name}`) => ({
  type: 'tool',
  id,
  name,
  state,
  time: { created: START_MS },
});

function fresh(name = 'opencode.db'): Opencode2Database {
  return new Opencode2Database(join(temporaryFolder(), name));
}

/** A database of 1.x with the tables of opencode 2, as an upgrade leaves it. */
function upgraded(): { old: OpencodeDatabase; live: Opencode2Database } {
  const old = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
  return { old, live: new Opencode2Database(old.path) };
}

async function staged(path: string): Promise<Run> {
  return new Feeder(path).stage();
}

const turnsOf = async (messages: readonly Message2[], columns?: Record<string, unknown>) => {
  const live = fresh();
  live.addSession('ses_one', messages, columns);
  live.close();
  const run = await staged(live.path);
  const [source] = run.sources;
  const turns = source === undefined ? [] : foldTurns(readTranscript(source)).slice(1);
  return { run, source, turns, texts: turns.flatMap(({ texts }) => texts) };
};

describe('a session of opencode 2', () => {
  it('is read once when its messages are counted', () => {
    const live = fresh();
    live.addSession('ses_one', [
      asked('Which port?'),
      answered(tool('read', { status: 'completed', content: [] }), '8443.'),
      { type: 'assistant', data: 'no JSON' },
      { type: 'idle', data: {} },
    ]);
    const { histories } = openDatabase({ path: live.path });
    const get = vi.spyOn(Object.getPrototypeOf(live.database.prepare('SELECT 1')), 'get');
    const counts = histories.map((history) => {
      const { sessions } = history.sessions();
      get.mockClear();
      return sessions.map((session) => [countMessages(history, session), get.mock.calls.length]);
    });
    expect(counts.flat()).toEqual([[{ messages: 2, unparsed: 1, unrecognised: 0 }, 5]]);
    for (const history of histories) history.close();
    live.close();
  });

  it('is transcribed in the order of seq, with thoughts, calls and the model', async () => {
    const { turns, source } = await turnsOf([
      { ...answered('Second.'), seq: 2, at: START_MS + 1 },
      { ...asked('First?'), seq: 1, at: START_MS + 5_000 },
      {
        ...answered(
          { type: 'reasoning', text: 'weighing it', native: { blob: 'x' } },
          'I look.',
          tool('read', {
            status: 'completed',
            input: { path: 'a.ts' },
            content: [
              { type: 'text', text: 'export' },
              { type: 'file', uri: 'data:image/png;base64,AAAA', mime: 'image/png', name: 'a.png' },
            ],
          }),
          tool('shell', {
            status: 'error',
            input: { command: 'false' },
            content: [{ type: 'text', text: 'partial' }],
            error: { type: 'unknown', message: 'it failed' },
          }),
          tool('grep', { status: 'running', input: { pattern: 'x' }, metadata: {} }),
          tool('write', { status: 'streaming', input: '{"path":"b' }),
        ),
        seq: 3,
      },
    ]);
    expect(turns).toEqual([
      { role: 'user', texts: ['First?'], calls: [] },
      {
        role: 'assistant',
        texts: ['Second.', '[reasoning] weighing it', 'I look.'],
        calls: [
          { name: 'read', result: 'export\n[file: a.png (image/png)]', isError: false },
          { name: 'shell', result: 'partial\nit failed', isError: true },
          { name: 'grep', result: '[interrupted: the tool did not finish]', isError: true },
          { name: 'write', result: '[interrupted: the tool was not run]', isError: true },
        ],
      },
    ]);
    const lines = source === undefined ? [] : readTranscript(source);
    expect(lines.map(({ message }) => message.model)).toContain('model-2');
  });

  it("contains the user's commands, attached files and waiting prompts, and nothing of the program", async () => {
    const live = fresh();
    const user = {
      text: 'Look',
      files: [{ name: 'plan.md', mime: 'text/markdown', uri: 'file:///plan.md' }],
    };
    live.addSession('ses_one', [
      { data: user },
      { type: 'system', data: { text: 'MACHINE be kind' } },
      { type: 'synthetic', data: { text: 'MACHINE reminder' } },
      { type: 'skill', data: { skill: 's', name: 's', text: 'MACHINE skill' } },
      { type: 'agent-switched', data: { agent: 'plan' } },
      { type: 'model-switched', data: { model: { id: 'm', providerID: 'p' } } },
      {
        type: 'shell',
        data: {
          shellID: 'sh_1',
          command: 'npm test',
          status: 'exited',
          exit: 1,
          output: { output: '1 failed\n' },
        },
      },
      {
        type: 'shell',
        data: { shellID: 'sh_2', command: 'sleep 9', status: 'killed', output: { output: '' } },
      },
      { type: 'compaction', data: { status: 'completed', reason: 'auto', summary: 'The plan.', recent: '' } },
      { type: 'compaction', data: { status: 'running', reason: 'auto', summary: 'half', recent: '' } },
      { ...answered(), data: { content: [], error: { type: 'provider', message: 'overloaded' } } },
      { type: 'idle', data: { outcome: 'failed' } },
    ]);
    live.addInput('ses_one', 'And then deploy');
    live.addInput('ses_one', 'was promoted', 1);
    live.close();
    const { sources, skipped } = await staged(live.path);
    const turns = sources.flatMap((source) => foldTurns(readTranscript(source)).slice(1));
    expect(turns.flatMap(({ texts }) => texts)).toEqual([
      'Look',
      '[file: plan.md (text/markdown)]',
      '[compaction summary] The plan.',
      '[error: provider: overloaded]',
      'And then deploy',
    ]);
    expect(turns.flatMap(({ calls }) => calls)).toEqual([
      { name: 'bash', result: '1 failed\nCommand exited with code 1.', isError: false },
      { name: 'bash', result: '[killed]', isError: false },
    ]);
    expect(turns.at(-1)?.role).toBe('user');
    expect(skipped).toEqual([]);
  });

  it.each([
    ['a title that is null', { title: null }],
    ['a revert of the form of 1.x', { revert: JSON.stringify({ messageID: 'msg_b', files: [] }) }],
    ['a revert of a newer form', { revert: JSON.stringify({ to: 'msg_b' }) }],
  ])('with %s', async (what, columns) => {
    const { texts, run } = await turnsOf(
      [asked('Q'), answered('A'), { ...asked('undone Q'), id: 'msg_b' }, answered('undone A')],
      columns,
    );
    expect(texts).toEqual(what.includes('revert') ? ['Q', 'A'] : ['Q', 'A', 'undone Q', 'undone A']);
    expect(run.skipped).toEqual([]);
  });

  it('is in the folder to which it was moved', async () => {
    const { source } = await turnsOf([
      asked('Q'),
      { type: 'location-switched', data: { location: { directory: '/home/dev/desk' } } },
      answered('A'),
    ]);
    expect(source).toMatchObject({ directory: '/home/dev/desk', room: 'desk' });
  });

  it('may be a sub-agent', async () => {
    const live = fresh();
    live.addSession('ses_parent', [asked('Survey it'), answered('Done.')]);
    live.addSession('ses_child', [asked('Survey'), answered('Surveyed.')], { parent_id: 'ses_parent' });
    live.close();
    const run = await staged(live.path);
    expect(run.byTitle('Title of ses_child')).toMatchObject({ parentKey: 'opencode:ses_parent' });
  });

  it('has rows of unknown form counted and named; the others are read', async () => {
    const { texts, run } = await turnsOf([
      asked('Q'),
      { type: 'hologram', data: { text: 'two words' } },
      { ...answered('A', { type: 'rich', body: 'some words' }) },
      { ...answered(), data: '{' },
      asked('Q2'),
    ]);
    expect(texts).toEqual(['Q', 'A', 'Q2']);
    expect(run.skipped.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['unknown part type rich', '1 of them'],
      ['unknown role hologram', '1 of them'],
      ['rows that do not parse', expect.stringMatching(/^message msg_.*: not JSON$/)],
    ]);
  });

  it('is read although columns are missing: only the id is demanded', async () => {
    const path = join(temporaryFolder(), 'opencode.db');
    const live = new Opencode2Database(
      path,
      'CREATE TABLE session_v2 (id TEXT PRIMARY KEY); CREATE TABLE session_message (id TEXT, session_id TEXT, data TEXT)',
    );
    live.database.exec(`
      INSERT INTO session_v2 VALUES ('ses_one');
      INSERT INTO session_message VALUES ('msg_1', 'ses_one', '{"type":"user","text":"Q","time":{"created":${START_MS}}}');
      INSERT INTO session_message VALUES ('msg_2', 'ses_one', '{"type":"assistant","content":[{"type":"text","text":"A"}]}');
    `);
    live.close();
    const { sources } = await staged(path);
    expect(sources.map((source) => textsOf(source))).toEqual([['Q', 'A']]);
    expect(sources[0]?.mtimeMs).toBe(START_MS);
  });

  it('that grows is staged again, and only then', async () => {
    const live = fresh('opencode-next.db');
    live.addSession('ses_one', [asked('Q'), answered('A')]);
    const feeder = new Feeder(live.path);
    feeder.file(await feeder.stage());
    expect((await feeder.survey()).sessions()).toMatchObject([{ status: 'unchanged' }]);
    live.addMessages('ses_one', [asked('And now?')]);
    const since = await feeder.stage({ since: START_MS + 2_500 });
    expect(since.sources.map((source) => textsOf(source))).toEqual([['Q', 'A', 'And now?']]);
    feeder.file(since);
    const none = await feeder.stage({ since: START_MS + 9e6 });
    expect(none.skipped).toMatchObject([{ reason: 'not changed since then' }]);
    // An answer grows in its row.
    live.database.exec(
      `UPDATE session_message SET data = replace(data, 'A"', 'A and more"'), time_updated = ${START_MS + 8e6}`,
    );
    const grown = await feeder.stage({ sessions: ['ses_one'] });
    expect(grown.sources.map((source) => textsOf(source))).toEqual([['Q', 'A and more', 'And now?']]);
    live.close();
  });

  it('has its last messages told to a hook', () => {
    const live = fresh();
    live.addSession('ses_one', [asked('Q'), answered('A'), asked('Q2'), answered('A2')]);
    live.close();
    const events = [...sessionTail([{ path: live.path, kind: 'sqlite' }], 'ses_one', 2)];
    expect(events).toMatchObject([
      { role: 'user', spoken: true, parts: [{ text: 'Q2' }] },
      { role: 'assistant', parts: [{ text: 'A2' }] },
    ]);
  });
});

describe('a fork of opencode 2', () => {
  const original = [asked('Q'), answered('A'), asked('Q2'), answered('A2')];
  const own = [asked('Q3'), answered('A3')];
  /** The copies have new times, and ids of their own. */
  const copied = (count: number, at = START_MS + 9e6) =>
    original.slice(0, count).map((message) => ({ ...message, at }));
  const columns = (more: Record<string, unknown> = {}) => ({
    fork_session_id: 'ses_a',
    time_created: START_MS + 8e6,
    ...more,
  });

  const textsIn = async (fork: readonly Message2[], more: Record<string, unknown> = {}) => {
    const live = fresh();
    live.addSession(
      'ses_a',
      original.map((message, index) => ({ ...message, id: `msg_a${index}` })),
    );
    live.addSession('ses_b', fork, columns(more));
    live.close();
    const run = await staged(live.path);
    const texts = Object.fromEntries(run.sources.map((source) => [source.sessionId, textsOf(source)]));
    return { texts: texts.ses_b, run };
  };

  it.each([
    ['copies of all and no boundary', [...copied(4), ...own], ['Q3', 'A3']],
    ['copies up to the boundary', [...copied(2), ...own], ['Q3', 'A3']],
    ['copies with the original times', [...copied(2, START_MS + 1_000), ...own], ['Q3', 'A3']],
    ['no copies', own, ['Q3', 'A3']],
    ['words that the original says after the boundary', [...copied(2), asked('Q2'), asked('A2')], ['A2']],
  ])('with %s contains its own words only', async (what, messages, texts) => {
    const boundary = what.includes('no boundary') ? null : 'msg_a2';
    expect((await textsIn(messages, { fork_boundary: boundary })).texts).toEqual(texts);
  });

  it('with nothing of its own is contained in its original', async () => {
    const { texts, run } = await textsIn(copied(4));
    expect(texts).toBeUndefined();
    expect(run.skipped).toMatchObject([{ reason: 'fork with nothing of its own' }]);
  });

  it('of a fork finds what either contains', async () => {
    const live = fresh();
    live.addSession('ses_a', original);
    live.addSession('ses_b', [...copied(4), ...own], columns());
    const later = [...copied(4), ...own, asked('Q4')].map((message) => ({ ...message, at: START_MS + 2e7 }));
    live.addSession('ses_c', later, { fork_session_id: 'ses_b', time_created: START_MS + 1e7 });
    live.close();
    const { sources } = await staged(live.path);
    const last = sources.find(({ sessionId }) => sessionId === 'ses_c');
    expect(last && textsOf(last)).toEqual(['Q4']);
    expect(last?.standsIn).toEqual(['opencode:ses_a', 'opencode:ses_b']);
  });

  it('of an unknown session keeps everything', async () => {
    const { texts } = await turnsOf([...original, ...own], { fork_session_id: 'ses_gone' });
    expect(texts).toEqual(['Q', 'A', 'Q2', 'A2', 'Q3', 'A3']);
  });
});

describe('an upgraded database', () => {
  const said = (tag: string, count: number) =>
    Array.from({ length: count }, (_, index) => (index % 2 === 0 ? `Q${index} ${tag}` : `A${index} ${tag}`));
  const inOld = (texts: readonly string[]) =>
    texts.map((text) => ({ role: text.startsWith('Q') ? 'user' : 'assistant', parts: [text] }));
  const inNew = (texts: readonly string[]) =>
    texts.map((text) => (text.startsWith('Q') ? asked(text) : answered(text)));

  it('has each session once, with what only the old tables contain at its place', async () => {
    const { old, live } = upgraded();
    old.addSession({ id: 'ses_a', messages: inOld(said('a', 4)) });
    live.addSession('ses_a', inNew(said('a', 6)), { time_updated: START_MS + 9e5 });
    old.addSession({ id: 'ses_b', title: 'Only old', messages: inOld(said('b', 2)) });
    live.addSession('ses_c', inNew(said('c', 2)));
    const lost = [...inOld(said('d', 2)), { parts: ['only the old one has it'] }, ...inOld(['A9 d'])];
    old.addSession({ id: 'ses_d', messages: lost });
    live.addSession('ses_d', inNew([...said('d', 2), 'A9 d', 'Q10 d']), { time_updated: START_MS + 9e5 });
    const { sources } = await staged(live.path);
    const texts = Object.fromEntries(sources.map((source) => [source.sessionId, textsOf(source)]));
    expect(texts).toEqual({
      ses_a: said('a', 6),
      ses_b: said('b', 2),
      ses_c: said('c', 2),
      ses_d: ['Q0 d', 'A1 d', 'only the old one has it', 'A9 d', 'Q10 d'],
    });
  });

  it('has the messages of sessions whose row is lost, or only in the tables of the other layout', async () => {
    const { old, live } = upgraded();
    old.addSession({ id: 'ses_a', messages: inOld(said('a', 4)) });
    live.addSession('ses_a', []);
    live.addSession('ses_b', inNew(said('b', 4)));
    live.addSession('ses_c', inNew(said('c', 2)));
    old.addSession({ id: 'ses_d', messages: inOld(said('d', 2)) });
    old.database.exec("DELETE FROM session; DELETE FROM session_v2 WHERE id = 'ses_b'");
    const { sources } = await staged(live.path);
    const texts = Object.fromEntries(sources.map((source) => [source.sessionId, textsOf(source)]));
    expect(texts).toEqual({
      ses_a: said('a', 4),
      ses_b: said('b', 4),
      ses_c: said('c', 2),
      ses_d: said('d', 2),
    });
  });

  it('has equal words of one session as often as they were said, calls once, the same ids or new ones', async () => {
    for (const id of ['msg_same', 'msg_new']) {
      const { old, live } = upgraded();
      const call = { type: 'tool', callID: 'call_1', tool: 'bash' };
      const state = { status: 'completed', input: { command: 'ls' } };
      old.addSession({
        id: 'ses_a',
        messages: [
          { parts: ['yes'] },
          {
            id: 'msg_same',
            role: 'assistant',
            parts: [
              { type: 'reasoning', text: 'hm' },
              'I look.',
              { ...call, state: { ...state, output: 'a.ts' } },
              'only in the old part',
            ],
          },
          { parts: ['yes'] },
        ],
      });
      const looked = tool('bash', { ...state, content: [{ type: 'text', text: 'a.ts' }] }, 'call_1');
      const messages = [asked('yes'), { ...answered('I look.', looked), id }];
      live.addSession('ses_a', messages, { time_updated: START_MS + 9e5 });
      const { sources } = await staged(live.path);
      const turns = sources.flatMap((source) => foldTurns(readTranscript(source)).slice(1));
      expect(turns.map(({ role, texts, calls }) => [role, texts, calls.length])).toEqual([
        ['user', ['yes'], 0],
        ['assistant', ['I look.', 'only in the old part'], 1],
        ['user', ['yes'], 0],
      ]);
      old.close();
      live.close();
    }
  });

  it('of a beta has its messages in session_message, and its sessions in session', async () => {
    const old = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    const live = new Opencode2Database(old.path, MESSAGES_2);
    old.addSession({ id: 'ses_a', title: 'Beta', messages: exchange('Q', 'A') });
    live.addMessages('ses_a', [asked('Q'), answered('A'), asked('Q2')]);
    old.addSession({ id: 'ses_b', title: 'Old', messages: exchange('Q', 'A') });
    const run = await staged(live.path);
    expect(textsOf(run.byTitle('Beta'))).toEqual(['Q', 'A', 'Q2']);
    expect(textsOf(run.byTitle('Old'))).toEqual(['Q', 'A']);
  });

  it('that goes on in 1.x again keeps both', async () => {
    const { old, live } = upgraded();
    old.addSession({ id: 'ses_a', messages: inOld(said('a', 2)) });
    live.addSession('ses_a', inNew([...said('a', 2), 'Q2 new']));
    old.addMessage('ses_a', { at: START_MS + 9e6, parts: ['Q2 old'] });
    const { sources } = await staged(live.path);
    expect(sources.map((source) => textsOf(source))).toEqual([['Q0 a', 'A1 a', 'Q2 new', 'Q2 old']]);
  });
});

describe('a form that is not known', () => {
  const problems = async (tables: string, rows = '') => {
    const path = join(temporaryFolder(), 'opencode.db');
    const live = new Opencode2Database(path, tables);
    live.database.exec(rows);
    live.close();
    const { skipped } = await staged(path);
    return skipped.filter(({ problem }) => problem).map(({ detail }) => detail);
  };
  const session =
    "INSERT INTO session_v2 (id, project_id, slug, directory, version, time_created, time_updated) VALUES ('ses_a', 'p', 's', '/', '3', 1, 1);";

  it.each([
    ['sessions without a known table of messages', SESSIONS_2, session, /its tables session_v2 have a form/],
    [
      'a later table of messages',
      `${SESSIONS_2}${MESSAGES_2} CREATE TABLE session_entry (id, session_id, payload)`,
      `${session} INSERT INTO session_entry VALUES (1, 'ses_a', '{}')`,
      /1 session are only in the table session_entry; .*update/,
    ],
    [
      'a later table of sessions with its own messages',
      `${SESSIONS_2}${MESSAGES_2} CREATE TABLE session_v3 (id, messages)`,
      "INSERT INTO session_v3 VALUES ('ses_z', '[]')",
      /1 session in session_v3 are in no known table/,
    ],
    [
      'messages of types that are not known',
      SESSIONS_2 + MESSAGES_2,
      `${session} INSERT INTO session_message VALUES ('m', 'ses_a', 'prose', 1, 1, 1, '{"text":"one two"}')`,
      /all rows of session_message are of types that are not known/,
    ],
  ])('%s is named as a problem', async (_, tables, rows, detail) => {
    expect(await problems(tables, rows)).toEqual(expect.arrayContaining([expect.stringMatching(detail)]));
  });

  it('is not an empty database of opencode 2', async () => {
    expect(await problems(SESSIONS_2 + MESSAGES_2)).toEqual([]);
    expect(await problems(SESSIONS_2 + MESSAGES_2, session)).toEqual([]);
  });
});
