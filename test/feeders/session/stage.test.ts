import {
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it, vi } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { PART_LIMIT_BYTES } from '../../../src/feeders/session/history.js';
import { stageSessions } from '../../../src/feeders/session/stage.js';
import { surveySessions } from '../../../src/feeders/session/survey.js';
import { takeLock } from '../../../src/platform/lock.js';
import { readManifest } from '../../../src/platform/manifest-file.js';
import {
  DAY_MS,
  exchange,
  OpencodeDatabase,
  type SessionPlan,
  START_MS,
} from '../../support/opencode-database.js';
import { Feeder, fixture, fixtureCopy, readTranscript, temporaryFolder, textsOf } from './helpers.js';

function database(name = 'opencode.db'): OpencodeDatabase {
  return new OpencodeDatabase(join(temporaryFolder(), name));
}

/** Three sessions of one to three exchanges, a day apart. */
function threeSessions() {
  const live = database();
  const ids = ['Short', 'Middle', 'Long'].map((title, index) =>
    live.addSession({
      title,
      slug: title.toLowerCase(),
      directory: `/home/dev/${title.toLowerCase()}`,
      created: START_MS + index * DAY_MS,
      messages: Array.from({ length: index + 1 }, (_, turn) =>
        exchange(`${title} ${turn}?`, `${title} ${turn}.`),
      ).flat(),
    }),
  );
  return { live, ids, feeder: new Feeder(live.path) };
}

const titles = (list: readonly { title?: string | undefined }[]) => list.map(({ title }) => title);

describe('a staged session', () => {
  it('is a private file with the time of its last change and a header', async () => {
    const { feeder, ids } = threeSessions();
    const run = await feeder.stage();
    const source = run.byTitle('Long');
    expect(source).toMatchObject({
      sourceKey: `opencode:${ids[2]}`,
      origin: `opencode://${ids[2]}`,
      kind: 'conversation',
      wing: 'wing_conversations',
      room: 'long',
      sessionId: ids[2],
      directory: '/home/dev/long',
      sourceFile: `mempalace-session/wing_conversations/long_${ids[2]}.jsonl`,
      path: join(feeder.cache, 'mempalace-session', 'wing_conversations', `long_${ids[2]}.jsonl`),
      mtimeMs: START_MS + 2 * DAY_MS + 6_000,
      madeBy: expect.stringMatching(/^transcriber \d+, sanitiser \d+$/),
    });
    const stat = statSync(source.path);
    expect(stat.mode & 0o777).toBe(0o600);
    expect(stat.mtimeMs).toBe(source.mtimeMs);
    expect(stat.size).toBe(source.bytes);
    expect(run.batches).toHaveLength(1);
    expect(run.batches[0]?.complete).toBeUndefined();
  });

  it('has the true last change: the newest of session, messages and parts', async () => {
    const live = database();
    const id = live.addSession({ title: 'A', messages: [] });
    live.addMessage(id, {
      at: START_MS + 10,
      parts: [{ raw: '{"type":"text","text":"x"}', updated: START_MS + 919 }],
    });
    const other = live.addSession({ title: 'B', updated: START_MS + 500 });
    live.addMessage(other, { at: START_MS + 10, updated: START_MS + 700, parts: ['x'] });
    const survey = await new Feeder(live.path).survey();
    expect(
      survey.sessions().map(({ title, session }) => [title, session.change.changedMs - START_MS]),
    ).toEqual([
      ['A', 919],
      ['B', 700],
    ]);
  });

  it('uses the folder of the answers if the session has none', async () => {
    const live = database();
    const answer = { role: 'assistant', data: { path: { cwd: '/home/dev/real', root: '/' } }, parts: ['A'] };
    live.addSession({ title: 'rooted', directory: '/', messages: [{ parts: ['Q'] }, answer] });
    live.addSession({ title: 'nowhere', directory: '', messages: exchange('Q', 'A') });
    const run = await new Feeder(live.path).stage();
    expect(run.byTitle('rooted')).toMatchObject({ room: 'real', directory: '/home/dev/real' });
    expect(run.byTitle('nowhere')).toMatchObject({ room: 'general', directory: '' });
  });
});

describe('a second run', () => {
  it('writes nothing without changes, but lists every session', async () => {
    const { feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.file(first);
    const inodes = () => first.sources.map(({ path }) => statSync(path).ino);
    const before = inodes();
    const second = await feeder.stage();
    expect(inodes()).toEqual(before);
    expect(second.sources).toEqual(first.sources);
    expect((await feeder.survey()).sessions().map(({ status }) => status)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    await feeder.stage({ force: true });
    expect(inodes()).not.toEqual(before);
  });

  it('reads no message of an unchanged session', async () => {
    const { live, feeder } = threeSessions();
    feeder.file(await feeder.stage());
    // From here on every read of a text fails.
    live.database.exec("UPDATE part SET data = replace(data, '{', '[')");
    const run = await feeder.stage({ minMessages: 3 });
    // A filed session stays chosen, whatever the minimum.
    expect(titles(run.sources).sort()).toEqual(['Long', 'Middle', 'Short']);
    expect(run.sources.every(({ unparsedRows }) => unparsedRows === undefined)).toBe(true);
  });

  it('transcribes only a grown session again', async () => {
    const { live, ids, feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.file(first);
    live.addMessage(ids[0] ?? '', { at: START_MS + 5 * DAY_MS, parts: ['More?'] });
    const survey = await feeder.survey();
    expect(survey.sessions().map(({ title, status, messages }) => [title, status, messages])).toEqual([
      ['Short', 'grown', 3],
      ['Long', 'unchanged', 6],
      ['Middle', 'unchanged', 4],
    ]);
    const second = await feeder.stage();
    expect(textsOf(second.byTitle('Short'))).toEqual(['Short 0?', 'Short 0.', 'More?']);
    expect(second.byTitle('Long')).toEqual(first.byTitle('Long'));
  });

  it('stages everything again without the cache, with the same bytes', async () => {
    const { feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.file(first);
    rmSync(join(feeder.cache, 'mempalace-session'), { recursive: true });
    expect((await feeder.survey()).sessions().map(({ status }) => status)).toEqual([
      'unchanged',
      'unchanged',
      'unchanged',
    ]);
    const second = await feeder.stage();
    expect(second.sources).toEqual(first.sources);
  });

  it('restores a staged file that was removed or changed in size', async () => {
    const { feeder } = threeSessions();
    const first = await feeder.stage();
    rmSync(first.byTitle('Short').path);
    const second = await feeder.stage();
    expect(second.sources).toEqual(first.sources);
    expect(existsSync(first.byTitle('Short').path)).toBe(true);
  });

  it('renames the file when a slug or title changes', async () => {
    const { live, ids, feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.file(first);
    live.database.prepare("UPDATE session SET slug = 'renamed', title = 'Renamed' WHERE id = ?").run(ids[1]);
    const second = await feeder.stage();
    expect(second.byTitle('Renamed').sourceKey).toBe(first.byTitle('Middle').sourceKey);
    expect(existsSync(first.byTitle('Middle').path)).toBe(false);
    expect(
      readdirSync(join(feeder.cache, 'mempalace-session', 'wing_conversations')).filter((name) =>
        name.endsWith('.jsonl'),
      ),
    ).toHaveLength(3);
  });

  it('keeps sessions that are not selected, or that opencode removed', async () => {
    const { live, ids, feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.file(first);
    live.database.exec(`DELETE FROM session WHERE id = '${ids[0]}'`);
    const second = await feeder.stage({ sessions: [ids[1] ?? ''] });
    expect(titles(second.sources)).toEqual(['Middle']);
    for (const source of first.sources) expect(existsSync(source.path)).toBe(true);
    const manifest = JSON.parse(
      readFileSync(
        join(feeder.cache, 'mempalace-session', 'wing_conversations', '.mempalace-batch.json'),
        'utf8',
      ),
    );
    expect(manifest.sources).toHaveLength(3);
  });

  it('transcribes again with another sanitiser', async () => {
    const { feeder } = threeSessions();
    const first = await feeder.stage();
    feeder.redact = false;
    const second = await feeder.stage();
    expect(second.sources.map(({ madeBy }) => madeBy)).not.toEqual(first.sources.map(({ madeBy }) => madeBy));
  });
});

describe('the wing', () => {
  it('is the given one, else the current one of the session, else the default', async () => {
    const { ids, feeder } = threeSessions();
    const [short = ''] = ids;
    feeder.file(await feeder.stage({ sessions: [short], wing: 'wing_mine' }));
    const run = await feeder.stage();
    expect(Object.fromEntries(run.sources.map(({ title, wing }) => [title, wing]))).toEqual({
      Short: 'wing_mine',
      Middle: 'wing_conversations',
      Long: 'wing_conversations',
    });
    expect(run.batches.map((batch) => batch.sources.length).sort()).toEqual([1, 2]);
    feeder.file(run);
    const moved = await feeder.stage({ wing: 'wing_new' });
    expect(new Set(moved.sources.map(({ wing }) => wing))).toEqual(new Set(['wing_new']));
    expect(run.sources.map(({ path }) => existsSync(path))).toEqual([false, false, false]);
    const hashes = (sources: typeof run.sources) => sources.map(({ hash }) => hash).sort();
    expect(hashes(moved.sources)).toEqual(hashes(run.sources));
  });

  it.each(['..', 'a/b', '', '.', 'a\\b'])('cannot be %j', async (wing) => {
    const { feeder } = threeSessions();
    await expect(feeder.survey({ wing })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the selection', () => {
  const chosen = async (feeder: Feeder, options: Parameters<Feeder['survey']>[0]) => {
    const survey = await feeder.survey(options);
    const reasons = survey.skipped.map(({ reason, detail }) => [detail, reason]);
    return { titles: titles(survey.sessions()), reasons: Object.fromEntries(reasons) };
  };

  it('uses the number of messages, including those that only call a tool', async () => {
    const live = database();
    const quiet = [
      { parts: [{ type: 'text', text: 'x', synthetic: true }] },
      { parts: [{ type: 'text', text: 'x', ignored: true }] },
      { parts: [' \n'] },
      { role: 'assistant', parts: [{ type: 'reasoning', text: 'hm' }] },
      { role: 'system', parts: ['x'] },
    ];
    const worked = {
      role: 'assistant' as const,
      parts: [{ type: 'tool', tool: 't', state: { status: 'completed', input: {}, output: 'x' } }],
    };
    const broken = [
      { raw: '{', parts: ['x'] },
      { parts: [{ raw: '{' }, { raw: '{"type":"text","text":7}' }] },
      { parts: [Buffer.from('{"type":"text","text":"x"}'), 'x'.repeat(PART_LIMIT_BYTES)] },
    ];
    live.addSession({ title: 'two', messages: [...exchange('Q', 'A'), ...quiet] });
    live.addSession({
      title: 'worked',
      messages: [{ parts: ['Q'] }, worked, { role: 'assistant', parts: ['A'] }],
    });
    live.addSession({ title: 'three', messages: [...exchange('Q', 'A'), { parts: [' ', 'Q'] }] });
    live.addSession({
      title: 'undone',
      revert: { messageID: 'gone' },
      messages: [...exchange('Q', 'A'), { id: 'gone', parts: ['Q'] }],
    });
    live.addSession({ title: 'empty' });
    live.addSession({ title: 'damaged', messages: [...exchange('Q', 'A'), ...broken] });
    live.close();
    const feeder = new Feeder(live.path);
    expect(await chosen(feeder, { minMessages: 3 })).toEqual({
      titles: expect.arrayContaining(['three', 'worked']),
      reasons: {
        two: 'fewer than 3 messages',
        undone: 'fewer than 3 messages',
        empty: 'no messages',
        'damaged: 5 rows could not be read, 2 messages could; what is filed stays': 'unreadable rows',
      },
    });
    const counts = (await feeder.survey()).sessions().map(({ title, messages }) => [title, messages]);
    expect(Object.fromEntries(counts)).toEqual({ two: 2, worked: 3, three: 3, undone: 2, damaged: 2 });
  });

  it('includes sub-agents of a selected session below the minimum', async () => {
    const live = database();
    const long = live.addSession({ title: 'Long', messages: [...exchange('Q', 'A'), ...exchange('Q', 'A')] });
    const child = live.addSession({ title: 'Child', parent: long, messages: exchange('Do', 'Done') });
    live.addSession({ title: 'Grandchild', parent: child, messages: exchange('Do', 'Done') });
    live.addSession({ title: 'Orphan', parent: 'ses_gone', messages: exchange('Do', 'Done') });
    const short = live.addSession({ title: 'Short', messages: exchange('Q', 'A') });
    live.addSession({ title: 'Its child', parent: short, messages: exchange('Do', 'Done') });
    live.close();
    const { titles: taken, reasons } = await chosen(new Feeder(live.path), { minMessages: 3 });
    expect(taken.sort()).toEqual(['Child', 'Grandchild', 'Long', 'Orphan']);
    expect(reasons).toEqual({ Short: 'fewer than 3 messages', 'Its child': 'fewer than 3 messages' });
  });

  it('uses the last change, the folder, the parent and a limit', async () => {
    const { live, ids, feeder } = threeSessions();
    live.addSession({
      title: 'Child',
      parent: ids[2] ?? null,
      directory: '/home/dev/long/src',
      created: START_MS,
      messages: exchange('Q', 'A'),
    });
    const middle = START_MS + DAY_MS + 4_000;
    expect((await chosen(feeder, { since: middle })).titles).toEqual(['Long', 'Middle']);
    expect((await chosen(feeder, { since: middle + 1 })).reasons.Middle).toBe('not changed since then');
    expect((await chosen(feeder, { directory: '/home/dev/long' })).titles).toEqual(['Long', 'Child']);
    expect((await chosen(feeder, { directory: '/home/dev/lo' })).titles).toEqual([]);
    expect((await chosen(feeder, { directory: '/' })).titles).toHaveLength(4);
    expect((await chosen(feeder, { subagents: false })).reasons).toEqual({ Child: 'subagent session' });
    expect(await chosen(feeder, { limit: 1 })).toEqual({
      titles: ['Long'],
      reasons: { Middle: 'beyond --limit', Short: 'beyond --limit', Child: 'beyond --limit' },
    });
  });

  it('finds the sessions of a folder by a link, too', async () => {
    const root = temporaryFolder();
    mkdirSync(join(root, 'shop'));
    symlinkSync(join(root, 'shop'), join(root, 'link'));
    const live = database();
    for (const name of ['shop', 'link', 'other'])
      live.addSession({ title: name, directory: join(root, name), messages: exchange('Q', 'A') });
    live.close();
    const feeder = new Feeder(live.path);
    const byLink = await chosen(feeder, { directory: join(root, 'link') });
    expect(byLink.titles.sort()).toEqual(['link', 'shop']);
    expect((await chosen(feeder, { directory: join(root, 'shop') })).titles).toEqual(['shop']);
  });

  it('by session id ignores the other criteria', async () => {
    const { ids, feeder } = threeSessions();
    const [short = ''] = ids;
    const options = {
      minMessages: 50,
      since: START_MS + 9 * DAY_MS,
      directory: '/nowhere',
      subagents: false,
    };
    expect(titles((await feeder.survey({ ...options, sessions: [short] })).sessions())).toEqual(['Short']);
    const survey = await feeder.survey({ sessions: [short, 'ses_gone'] });
    expect(survey.skipped.filter(({ problem }) => problem)).toEqual([
      { origin: 'opencode://ses_gone', reason: 'no such session', detail: 'ses_gone', problem: true },
    ]);
    await expect(feeder.survey({ sessions: ['ses_gone'] })).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining('ses_gone'),
    });
  });

  it('changes nothing', async () => {
    const { feeder } = threeSessions();
    await feeder.survey();
    expect(readdirSync(feeder.cache)).toEqual([]);
    const run = await feeder.stage({ minMessages: 99 });
    expect(run.batches).toEqual([{ sources: [], skipped: expect.arrayContaining([]) }]);
    expect(run.skipped).toHaveLength(3);
    expect(readdirSync(feeder.cache)).toEqual([]);
  });
});

describe('an unreadable part', () => {
  it('is counted, named and skipped, row by row', async () => {
    const live = database();
    live.addSession({
      title: 'Broken',
      messages: [
        ...exchange('Q', 'A'),
        { id: 'msg_bad', raw: '{"role":', parts: ['lost'] },
        { id: 'msg_wrong', raw: '{"role":5}' },
        {
          parts: [
            'Kept',
            { raw: 'no json', id: 'prt_bad' },
            { raw: '{"type":"text"}', id: 'prt_wrong' },
            { raw: Buffer.from([1, 2]), id: 'prt_blob' },
          ],
        },
        { parts: [{ type: 'hologram', frames: 2 }, { type: 'hologram' }] },
      ],
    });
    live.close();
    const feeder = new Feeder(live.path);
    const run = await feeder.stage();
    const source = run.byTitle('Broken');
    expect(textsOf(source)).toEqual(['Q', 'A', 'Kept']);
    expect(source.unparsedRows).toBe(5);
    const problem = run.skipped.find(({ reason }) => reason === 'rows that do not parse');
    expect(problem?.problem).toBe(true);
    for (const name of [
      'message msg_bad: not JSON',
      'msg_wrong',
      'part prt_bad: not JSON',
      'part prt_wrong',
      'part prt_blob',
    ]) {
      expect(problem?.detail).toContain(name);
    }
    expect(run.skipped.find(({ reason }) => reason === 'unknown part type hologram')).toEqual({
      origin: source.origin,
      reason: 'unknown part type hologram',
      detail: '2 of them',
    });
    const again = await feeder.stage();
    expect(again.sources).toEqual(run.sources);
    expect(again.skipped.filter((skip) => skip.problem === true)).toHaveLength(1);
  });

  it('can be a row without an id, or a part without its message', async () => {
    const live = database();
    live.addSession({
      title: 'Nameless',
      messages: [
        ...exchange('Q', 'A'),
        { parts: ['Kept', { raw: '{"type":"text","text":"lost"}', id: 'prt_null' }] },
        { id: 'msg_blob', parts: ['lost'] },
        { id: 'msg_moved', parts: [{ raw: '{"type":"text","text":"lost"}', id: 'prt_moved' }] },
        { parts: ['Last', { raw: '{"type":"text","text":"lost"}', id: 'prt_stray' }] },
      ],
    });
    live.database.exec(`UPDATE part SET id = NULL WHERE id = 'prt_null';
      UPDATE part SET message_id = x'02' WHERE id = 'prt_stray';
      UPDATE message SET session_id = 'ses_other' WHERE id = 'msg_moved';
      UPDATE message SET id = x'01' WHERE id = 'msg_blob'`);
    live.close();
    const run = await new Feeder(live.path).stage();
    expect(textsOf(run.byTitle('Nameless'))).toEqual(['Q', 'A', 'Kept', 'Last']);
    expect(run.byTitle('Nameless').unparsedRows).toBe(5);
    const problem = run.skipped.find(({ reason }) => reason === 'rows that do not parse');
    for (const name of [
      'part prt_stray: names no message of its session',
      'part prt_moved: names no message of its session',
      'part without an id',
      'message without an id',
    ])
      expect(problem?.detail).toContain(name);
  });

  it('can be JSON that is too deep for the stack', async () => {
    const nested = (depth: number) => ({
      raw: `{"type":"tool","tool":"t","callID":"c${depth}","state":{"status":"completed","output":"x","input":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
    });
    const live = database();
    live.addSession({
      title: 'Deep',
      messages: [...exchange('Q', 'A'), { role: 'assistant', parts: [nested(990), nested(50_000), 'End'] }],
    });
    live.close();
    const run = await new Feeder(live.path).stage();
    expect(textsOf(run.byTitle('Deep'))).toEqual(['Q', 'A', 'End']);
    expect(run.byTitle('Deep').unparsedRows).toBe(1);
  });

  it('can be the target of an undo: the session is kept whole, and named', async () => {
    const live = database();
    const messages = exchange('Q', 'A');
    live.addSession({ title: 'Garbled', revert: '{"messageID', messages });
    live.addSession({ title: 'Other form', revert: { messageID: 5 }, messages });
    live.addSession({ title: 'Nothing', revert: 'null', messages });
    live.close();
    const run = await new Feeder(live.path).stage();
    expect(run.sources).toHaveLength(3);
    const problem = {
      reason: 'rows that do not parse',
      detail: 'revert of the session: not of the known form',
      problem: true,
    };
    expect(run.skipped).toEqual([expect.objectContaining(problem), expect.objectContaining(problem)]);
  });

  it('can be an invalid session row: the others are read', async () => {
    const { live, feeder } = threeSessions();
    live.database.exec("UPDATE session SET time_created = 'yesterday' WHERE title = 'Short'");
    const survey = await feeder.survey();
    expect(titles(survey.sessions())).toEqual(['Long', 'Middle']);
    expect(survey.skipped.filter(({ problem }) => problem)).toHaveLength(1);
    expect(survey.skipped.filter(({ problem }) => problem)[0]?.reason).toBe('session that does not parse');
  });

  it('can be a part over 32 MB: one line gives its size, the rest is staged', async () => {
    const live = database();
    const id = live.addSession({ title: 'Huge', messages: exchange('Q', 'A') });
    live.database
      .prepare('INSERT INTO message VALUES (\'msg_huge\', ?, ?, ?, \'{"role":"assistant"}\')')
      .run(id, START_MS + DAY_MS, START_MS + DAY_MS);
    live.database
      .prepare(
        "INSERT INTO part VALUES ('prt_huge', 'msg_huge', ?, 1, 1, cast(zeroblob(35 * 1024 * 1024) as text))",
      )
      .run(id);
    live.addMessage(id, { at: START_MS + 2 * DAY_MS, parts: ['After'] });
    live.close();
    const feeder = new Feeder(live.path);
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Huge'))).toEqual([
      'Q',
      'A',
      '[part left out: 35.0 MB, the limit is 32 MB]',
      'After',
    ]);
    expect(run.byTitle('Huge').unparsedRows).toBeUndefined();
    const problem = { reason: 'parts over 32 MB', problem: true };
    expect(run.skipped).toMatchObject([{ ...problem, detail: 'prt_huge: 35.0 MB' }]);
    expect((await feeder.stage()).skipped).toMatchObject([problem]);
  });

  it('can be one session on a damaged page: the others are staged', async () => {
    const { live, ids } = threeSessions();
    live.addMessage(ids[1] ?? '', { at: START_MS + 3 * DAY_MS, parts: ['x'.repeat(60_000)] });
    const pageSize = Number(live.database.pragma('page_size', { simple: true }));
    const page = Number(
      live.database
        .prepare("SELECT min(pageno) FROM dbstat WHERE name = 'part' AND pagetype = 'overflow'")
        .pluck()
        .get(),
    );
    live.close();
    const file = openSync(live.path, 'r+');
    writeSync(file, Buffer.from([0xff, 0xff, 0xff, 0xff]), 0, 4, (page - 1) * pageSize);
    const run = await new Feeder(live.path).stage();
    expect(titles(run.sources).sort()).toEqual(['Long', 'Short']);
    expect(run.skipped).toMatchObject([
      { origin: `opencode://${ids[1]}`, reason: 'unreadable session', problem: true },
    ]);
  });

  it('can be one database of several: the others are read; or all: the error is that of the first', async () => {
    const { live } = threeSessions();
    const broken = join(temporaryFolder(), 'opencode.db');
    cpSync(fixture('make-fixtures.mjs'), broken);
    const run = await new Feeder(broken, live.path).stage();
    expect(run.sources).toHaveLength(3);
    expect(run.skipped).toMatchObject([{ origin: broken, reason: 'unreadable database', problem: true }]);
    await expect(new Feeder(broken).stage()).rejects.toBeInstanceOf(UserError);
  });
});

describe('several histories', () => {
  it('give each session once: the newest copy, or the first of equal ones', async () => {
    const first = database('first.db');
    const second = database('second.db');
    for (const [live, answer] of [
      [first, 'old'],
      [second, 'new'],
    ] as const) {
      live.addSession({ id: 'ses_both', title: 'Both', messages: exchange('Q', answer) });
      live.addSession({
        id: 'ses_equal',
        title: 'Equal',
        messages: [
          { id: `msg_${answer}_1`, parts: ['Q'] },
          { id: `msg_${answer}_2`, parts: [answer] },
        ],
      });
    }
    second.addMessage('ses_both', { at: START_MS + DAY_MS, parts: ['more'] });
    const run = await new Feeder(first.path, second.path).stage();
    expect(textsOf(run.byTitle('Both'))).toEqual(['Q', 'new', 'more']);
    expect(textsOf(run.byTitle('Equal'))).toEqual(['Q', 'old']);
  });

  it('count a session once if an import left it in the older files', async () => {
    const storage = fixture('storage-1.1.65');
    const alone = await new Feeder(storage).stage();
    expect(alone.sources).toHaveLength(4);
    const imported = database();
    for (const session of storedSessions(storage)) imported.addSession(session);
    const both = await new Feeder(storage, imported.path).stage();
    expect(both.sources.map((source) => textsOf(source))).toEqual(
      alone.sources.map((source) => textsOf(source)),
    );
    expect(both.skipped.filter(({ problem }) => problem)).toEqual([]);
  });
});

/** The sessions of a folder of the older JSON files, as an import reads them. */
function storedSessions(storage: string): SessionPlan[] {
  const read = (...path: string[]) => JSON.parse(readFileSync(join(storage, ...path), 'utf8'));
  const list = (...path: string[]) =>
    existsSync(join(storage, ...path)) ? readdirSync(join(storage, ...path)) : [];
  return list('session').flatMap((project) =>
    list('session', project).map((file) => {
      const { id, title, parentID, directory, time } = read('session', project, file);
      const messages = list('message', id).map((name) => {
        const { id: messageId, time, sessionID: _, ...data } = read('message', id, name);
        const parts = list('part', messageId).map((part) => {
          const { id: partId, ...said } = read('part', messageId, part);
          return { raw: JSON.stringify(said), id: partId };
        });
        return { id: messageId, at: time.created, raw: JSON.stringify({ ...data, time }), parts };
      });
      return {
        id,
        title,
        parent: parentID,
        directory,
        created: time.created,
        updated: time.updated,
        messages,
      };
    }),
  );
}

describe('the older JSON files', () => {
  it('give the same as a database', async () => {
    const run = await new Feeder(fixture('storage-1.1.65')).stage();
    const child = run.byTitle('Survey src (@general subagent)');
    const [header] = readTranscript(child);
    expect(header?.message.content).toEqual([
      {
        type: 'text',
        text: '[session: Survey src (@general subagent) | /home/dev/proj/web-shop | 2026-11-21 | subagent of Survey the repo with subagents]',
      },
    ]);
    expect(textsOf(child)).toContain('src/ contains cart.js only. (subagent report)');
    expect(header?.version).toBe('1.1.65');
  });

  it('are read again only when a file changes', async () => {
    const storage = fixtureCopy('storage-1.1.65');
    const feeder = new Feeder(storage);
    const first = await feeder.stage();
    feeder.file(first);
    expect((await feeder.stage()).sources).toEqual(first.sources);
    const { sessionId = '' } = first.byTitle('Fix the failing import');
    const [message = ''] = readdirSync(join(storage, 'message', sessionId));
    const parts = join(storage, 'part', message.replace('.json', ''));
    const [part = ''] = readdirSync(parts);
    writeFileSync(join(parts, part), '{"type":"text","text":"Rewritten by hand"}');
    const second = await feeder.stage();
    expect(textsOf(second.byTitle('Fix the failing import'))).toContain('Rewritten by hand');
  });

  it('are named if they do not parse', async () => {
    const storage = fixtureCopy('storage-1.1.65');
    const [project = ''] = readdirSync(join(storage, 'session'));
    writeFileSync(join(storage, 'session', project, 'ses_broken.json'), '{');
    const [session = ''] = readdirSync(join(storage, 'message'));
    writeFileSync(join(storage, 'message', session, 'msg_broken.json'), '[1');
    const timeless = { id: 'msg_timeless', role: 'user', time: { created: 'soon' } };
    writeFileSync(join(storage, 'message', session, 'msg_timeless.json'), JSON.stringify(timeless));
    const run = await new Feeder(storage).stage();
    expect(run.sources).toHaveLength(4);
    const problems = run.skipped.filter(({ problem }) => problem === true);
    expect(
      problems
        .map(({ origin, reason, detail }) => `${origin} ${reason} ${detail}`)
        .sort()
        .join('\n'),
    ).toMatch(
      /ses_broken session that does not parse[\s\S]*message msg_timeless: not of the known form; message msg_broken: not JSON/,
    );
  });
});

describe('a run', () => {
  it('that is interrupted keeps its staged files', async () => {
    const { feeder } = threeSessions();
    const controller = new AbortController();
    const stopped = feeder.stage({ signal: controller.signal, onProgress: () => controller.abort() });
    await expect(stopped).rejects.toMatchObject({ code: 'interrupted' });
    const folder = join(feeder.cache, 'mempalace-session', 'wing_conversations');
    const inode = (name: string) => statSync(join(folder, name)).ino;
    const [staged = ''] = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
    const before = inode(staged);
    const run = await feeder.stage();
    expect(run.sources).toHaveLength(3);
    expect(inode(staged)).toBe(before);
  });

  it('that takes long records staged files before it ends: a kill loses none', async () => {
    const { feeder } = threeSessions();
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    const recorded: (number | undefined)[] = [];
    const folder = join(feeder.cache, 'mempalace-session', 'wing_conversations');
    try {
      await feeder.stage({
        onProgress: () => {
          recorded.push(readManifest(folder)?.sources.length);
          now += 60_000;
        },
      });
    } finally {
      clock.mockRestore();
    }
    expect(recorded).toEqual([undefined, 2, 3]);
  });

  it('reports its progress', async () => {
    const { feeder } = threeSessions();
    const seen: number[] = [];
    let bytes = 0;
    await feeder.stage({
      onProgress: (done, total) => {
        seen.push(done);
        bytes = total;
      },
    });
    expect(seen).toHaveLength(3);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen.at(-1)).toBe(bytes);
  });

  it('waits for another run that stages the same wing, then names it', async () => {
    const { feeder } = threeSessions();
    const lock = await takeLock(
      join(feeder.cache, 'mempalace-session', 'wing_conversations', '.lock'),
      'the other',
      0,
    );
    await expect(feeder.stage()).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining('the other'),
    });
    lock.release();
    expect((await feeder.stage()).sources).toHaveLength(3);
  });

  it('closes the databases', async () => {
    const { live, feeder } = threeSessions();
    live.database.pragma('journal_mode = WAL');
    await feeder.stage();
    await feeder.survey();
    live.close();
    const only = new Database(live.path);
    expect(only.pragma('journal_mode = DELETE', { simple: true })).toBe('delete');
    only.close();
  });

  it('has nothing to do without sources', async () => {
    const options = await new Feeder().options({ databases: [] });
    const survey = await surveySessions(options);
    expect([survey.sessions(), survey.skipped]).toEqual([[], []]);
    expect(await stageSessions(survey, options)).toEqual([{ sources: [], skipped: [] }]);
  });
});
