import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DAY_MS,
  exchange,
  OpencodeDatabase,
  type PartPlan,
  START_MS,
} from '../../support/opencode-database.js';
import {
  Feeder,
  fixture,
  fixtureCopy,
  foldTurns,
  readTranscript,
  temporaryFolder,
  textsOf,
} from './helpers.js';

function database(): OpencodeDatabase {
  return new OpencodeDatabase(`${temporaryFolder()}/opencode.db`);
}

async function stageOne(live: OpencodeDatabase) {
  live.close();
  const { sources } = await new Feeder(live.path).stage();
  if (sources[0] === undefined || sources.length !== 1) throw new Error(`${sources.length} sources`);
  return sources[0];
}

/** Golden files: transcripts of sessions of real releases. */
const GOLDEN = [
  'Add tax to the cart total (fork #1)',
  'Context overflow error',
  'Aborted assistant turn',
  'Slash command as a subtask',
  'Review a path (@general subagent)',
  'Read the attached spec',
  'Killed in the middle',
  '日本語 🎉 naïve café',
];

describe('transcripts of real sessions', () => {
  it('equal the golden files', async () => {
    const run = await new Feeder(fixture('opencode-1.18.33.db')).stage();
    for (const title of GOLDEN) {
      const source = run.byTitle(title);
      await expect(readFileSync(source.path, 'utf8')).toMatchFileSnapshot(
        fixture(`golden/${basename(source.path)}`),
      );
    }
  });

  it.each(['opencode-1.18.33.db', 'opencode-1.2.27.db', 'storage-1.1.65'])(
    'are Claude Code JSONL in which every call has its result: %s',
    async (name) => {
      const { sources } = await new Feeder(fixture(name)).stage();
      expect(sources.length).toBeGreaterThan(3);
      for (const source of sources) {
        const lines = readTranscript(source);
        const turns = foldTurns(lines);
        expect(turns[0]?.texts[0]).toMatch(
          /^\[session: \S.* \| .* \| \d{4}-\d\d-\d\d( \| subagent of .+)?\]$/,
        );
        expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(lines.length);
        expect(lines.map(({ timestamp }) => timestamp)).toEqual(
          lines
            .map(({ timestamp }) => timestamp)
            .sort()
            .map(String),
        );
        for (const line of lines)
          expect(line).toMatchObject({ sessionId: source.sessionId, cwd: source.directory });
        expect(readFileSync(source.path, 'utf8')).not.toContain('base64,');
      }
    },
  );

  it('are the same bytes in every time zone, language and run', async () => {
    const feeder = () => new Feeder(fixture('opencode-1.18.33.db'), fixture('storage-1.1.65'));
    const { TZ, LANG } = process.env;
    const results: string[][] = [];
    try {
      for (const [zone, language] of [
        ['Pacific/Kiritimati', 'tr_TR.UTF-8'],
        ['America/St_Johns', 'C'],
        ['UTC', 'de_DE.UTF-8'],
      ]) {
        process.env.TZ = zone;
        process.env.LANG = language;
        const { sources } = await feeder().stage();
        results.push(
          sources.map(({ sourceFile, hash, mtimeMs }) => `${sourceFile} ${hash} ${mtimeMs}`).sort(),
        );
      }
    } finally {
      process.env.TZ = TZ ?? 'UTC';
      process.env.LANG = LANG ?? 'C';
    }
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  it('do not depend on the order of the rows, the columns or their keys', async () => {
    const path = fixtureCopy('opencode-1.2.27.db');
    const plain = await new Feeder(path).stage();
    const { default: Database } = await import('better-sqlite3');
    const migrated = new Database(path);
    migrated.exec(`
      CREATE TABLE other (data text NOT NULL, time_updated integer, session_id text, message_id text, id text PRIMARY KEY, time_created integer);
      INSERT INTO other SELECT data, time_updated, session_id, message_id, id, time_created FROM part ORDER BY id DESC;
      DROP TABLE part;
      ALTER TABLE other RENAME TO part;
      ALTER TABLE session DROP COLUMN permission;
    `);
    migrated.close();
    const moved = await new Feeder(path).stage();
    expect(moved.sources.map(({ hash }) => hash)).toEqual(plain.sources.map(({ hash }) => hash));
  });
});

describe('a transcript', () => {
  it('begins with a turn that names its session', async () => {
    const live = database();
    const parent = live.addSession({ title: 'Survey\nthe repo' });
    live.addSession({
      parent,
      title: '  Part  one \u001b[31m\n',
      directory: '/home/dev/shop',
      created: Date.UTC(2026, 0, 1, 23, 59, 59),
      messages: exchange('Go', 'Gone.'),
    });
    const [line] = readTranscript(await stageOne(live));
    expect(line?.message.content).toEqual([
      {
        type: 'text',
        text: '[session: Part one [31m | /home/dev/shop | 2026-01-01 | subagent of Survey the repo]',
      },
    ]);
    expect(line).toMatchObject({
      parentUuid: null,
      version: '1.18.33',
      timestamp: '2026-01-01T23:59:59.000Z',
    });
    expect(line?.messageId).toBeUndefined();
  });

  it('has its header on one line for any title, and always a title', async () => {
    const live = database();
    const titles = fc.sample(fc.string({ unit: 'binary', maxLength: 200 }), { numRuns: 40, seed: 7 });
    for (const [index, title] of ['', ' ', '\n', 'x'.repeat(5_000), ...titles].entries()) {
      live.addSession({ title, created: START_MS + index * DAY_MS, messages: exchange('Q', 'A') });
    }
    live.close();
    const { sources } = await new Feeder(live.path).stage();
    for (const source of sources) {
      const [line] = readTranscript(source);
      const block = line?.message.content[0];
      expect(block?.type === 'text' ? block.text : '').toMatch(
        /^\[session: \P{Cc}+ \| \/home\/dev\/shop \| 2026-\d\d-\d\d\]$/u,
      );
    }
  });

  it('puts results after the calling answer, before its next text', async () => {
    const live = database();
    const call = (callID: string | undefined, output: string): PartPlan => ({
      type: 'tool',
      tool: 'bash',
      ...(callID === undefined ? {} : { callID }),
      state: { status: 'completed', input: { command: output }, output },
    });
    live.addSession({
      messages: [
        { parts: ['Run three'] },
        {
          role: 'assistant',
          parts: ['First.', call('c', 'one'), call('c', 'two'), 'Then.', call(undefined, 'three')],
        },
        { role: 'assistant', parts: [call('c', 'four')] },
      ],
    });
    const lines = readTranscript(await stageOne(live));
    expect(lines.slice(2).map(({ message }) => message.content.map(({ type }) => type))).toEqual([
      ['text', 'tool_use', 'tool_use'],
      ['tool_result', 'tool_result'],
      ['text', 'tool_use'],
      ['tool_result'],
      ['tool_use'],
      ['tool_result'],
    ]);
    expect(
      foldTurns(lines)
        .at(-1)
        ?.calls.map(({ result }) => result),
    ).toEqual(['one', 'two', 'three', 'four']);
  });

  it('orders messages by time, then id, even if ids have wrapped; and parts by id', async () => {
    const live = database();
    const id = live.addSession({ created: START_MS });
    live.addMessage(id, { id: 'msg_0001', at: START_MS + 3_000, parts: ['third'] });
    live.addMessage(id, { id: 'msg_fffe', at: START_MS + 1_000, parts: ['first'] });
    live.addMessage(id, { id: 'msg_ffff', at: START_MS + 1_000, parts: ['second'] });
    live.addMessage(id, {
      id: 'msg_0002',
      role: 'assistant',
      at: START_MS + 4_000,
      parts: [
        { raw: '{"type":"text","text":"b"}', id: 'prt_2', updated: 1 },
        { raw: '{"type":"text","text":"a"}', id: 'prt_1', updated: 2 },
      ],
    });
    expect(textsOf(await stageOne(live))).toEqual(['first', 'second', 'third', 'a', 'b']);
  });

  it('keeps the order of messages, for any order of writes', async () => {
    const times = fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 12 });
    const samples = fc.sample(times, { numRuns: 25, seed: 3 });
    const live = database();
    for (const [index, sample] of samples.entries()) {
      const id = live.addSession({ title: `sample ${index}` });
      for (const time of sample) live.addMessage(id, { at: START_MS + time, parts: [String(time)] });
    }
    live.close();
    const run = await new Feeder(live.path).stage();
    for (const [index, sample] of samples.entries()) {
      const texts = textsOf(run.byTitle(`sample ${index}`)).map(Number);
      expect(texts).toEqual([...sample].sort((a, b) => a - b));
    }
  });

  it('keeps its lines when the session grows', async () => {
    const live = database();
    const id = live.addSession({ messages: exchange('Q', 'A') });
    const feeder = new Feeder(live.path);
    const before = (await feeder.stage()).byTitle('A session');
    const text = readFileSync(before.path, 'utf8');
    live.addMessage(id, { at: START_MS + DAY_MS, parts: ['More'] });
    const after = (await feeder.stage()).byTitle('A session');
    expect(readFileSync(after.path, 'utf8').startsWith(text)).toBe(true);
    live.close();
  });

  it('continues long answers on further lines', async () => {
    const live = database();
    const output = 'x'.repeat(700_000);
    const call: PartPlan = { type: 'tool', tool: 'bash', state: { status: 'completed', input: {}, output } };
    live.addSession({
      messages: [{ parts: ['Go'] }, { role: 'assistant', parts: [call, call, call, call, call] }],
    });
    const source = await stageOne(live);
    const lines = readTranscript(source);
    expect(lines.length).toBeGreaterThan(4);
    expect(foldTurns(lines).at(-1)?.calls).toHaveLength(5);
  });

  it('leaves out undone messages', async () => {
    const live = database();
    const text = (id: string, words: string): PartPlan => ({
      raw: JSON.stringify({ type: 'text', text: words }),
      id,
    });
    for (const title of ['whole', 'half']) {
      live.addSession({
        title,
        revert:
          title === 'whole' ? { messageID: 'msg_whole' } : { messageID: 'msg_half', partID: `prt_half_b` },
        messages: [
          ...exchange('Kept', 'Kept answer.'),
          {
            id: `msg_${title}`,
            role: 'assistant',
            data: { error: { name: 'MessageAbortedError' } },
            parts: [text(`prt_${title}_a`, 'before'), text(`prt_${title}_b`, 'after')],
          },
          ...exchange('Gone', 'Gone answer.'),
        ],
      });
    }
    live.addSession({ title: 'unclear', revert: '{', messages: exchange('Kept', 'Kept answer.') });
    live.close();
    const run = await new Feeder(live.path).stage();
    expect(textsOf(run.byTitle('whole'))).toEqual(['Kept', 'Kept answer.']);
    expect(textsOf(run.byTitle('half'))).toEqual(['Kept', 'Kept answer.', 'before']);
    expect(textsOf(run.byTitle('unclear'))).toEqual(['Kept', 'Kept answer.']);
  });

  it('contains text once that was repeated after an overflow', async () => {
    const live = database();
    const boundary = (overflow: boolean) => [
      { parts: [{ type: 'compaction', auto: true, overflow }] },
      { role: 'assistant', data: { summary: true }, parts: ['So far.'] },
    ];
    live.addSession({
      title: 'overflow',
      messages: [
        ...exchange('Early', 'Yes.'),
        { parts: ['Too long', 'with more'] },
        { role: 'assistant', parts: [] },
        ...boundary(true),
        { parts: ['Too long', 'with more', 'and new'] },
        { role: 'assistant', parts: ['Answer.'] },
        { parts: ['Too long'] },
      ],
    });
    live.addSession({
      title: 'no overflow',
      messages: [{ parts: ['Again'] }, ...boundary(false), { parts: ['Again'] }],
    });
    live.addSession({
      title: 'not repeated',
      messages: [
        { parts: ['Again'] },
        ...boundary(true),
        { parts: [{ type: 'text', text: 'Continue if you have next steps', synthetic: true }] },
        { role: 'assistant', parts: ['Going on.'] },
        { parts: ['Again'] },
      ],
    });
    live.close();
    const run = await new Feeder(live.path).stage();
    const summary = '[compaction summary] So far.';
    expect(textsOf(run.byTitle('overflow'))).toEqual([
      'Early',
      'Yes.',
      'Too long',
      'with more',
      summary,
      'and new',
      'Answer.',
      'Too long',
    ]);
    expect(textsOf(run.byTitle('no overflow'))).toEqual(['Again', summary, 'Again']);
    expect(textsOf(run.byTitle('not repeated'))).toEqual(['Again', summary, 'Going on.', 'Again']);
  });
});

describe('the sanitiser', () => {
  it('is applied to everything: texts, titles, folders, inputs, outputs, file names', async () => {
    const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');
    const live = database();
    live.addSession({
      title: `Title ${secret}`,
      slug: '',
      directory: `/home/dev/${secret}`,
      messages: [
        {
          parts: [
            `User ${secret}`,
            { type: 'file', filename: `${secret}.txt`, mime: 'text/plain', url: 'file:///x' },
          ],
        },
        {
          role: 'assistant',
          data: { structured: { token: secret }, error: { name: 'APIError', data: { message: secret } } },
          parts: [
            { type: 'reasoning', text: `Thinking ${secret}` },
            {
              type: 'tool',
              tool: 'bash',
              callID: secret,
              state: { status: 'completed', input: {}, output: '' },
            },
            {
              type: 'tool',
              tool: 'bash',
              callID: 'c',
              state: { status: 'completed', input: { nested: [{ deep: secret }] }, output: `Out ${secret}` },
            },
          ],
        },
      ],
    });
    live.addSession({ title: `Passed over ${secret}` });
    live.close();
    const feeder = new Feeder(live.path);
    const run = await feeder.stage();
    const [source] = run.sources;
    if (source === undefined) throw new Error('nothing staged');
    expect(run.skipped.map(({ detail }) => detail)).toEqual([
      expect.stringContaining('Passed over [REDACTED'),
    ]);
    for (const name of readdirSync(feeder.cache, { recursive: true, encoding: 'utf8' })) {
      const path = join(feeder.cache, name);
      const content = statSync(path).isFile() ? readFileSync(path, 'latin1') : '';
      expect(name + content).not.toContain(secret);
    }
    const text = readFileSync(source.path, 'utf8') + JSON.stringify(source);
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    expect(
      Object.values(source.redacted ?? {}).reduce((sum, count) => sum + count, 0),
    ).toBeGreaterThanOrEqual(8);
    feeder.redact = false;
    const [plain] = (await feeder.stage()).sources;
    expect(readFileSync(plain?.path ?? '', 'utf8')).toContain(`Out ${secret}`);
    expect(plain?.madeBy).not.toBe(source.madeBy);
  });
});

describe('text that a harness injected', () => {
  const REMINDER = '<system-reminder>\nBe brief.\n</system-reminder>';

  it('is removed from the user’s text and tool results; an empty rest is not a turn', async () => {
    const live = database();
    live.addSession({
      title: 'Reminded',
      messages: [
        { role: 'user', parts: [`Why?\n${REMINDER}`] },
        {
          role: 'assistant',
          parts: [
            `You wrote ${REMINDER}`,
            {
              type: 'tool',
              tool: 'read',
              callID: 'c1',
              state: { status: 'completed', input: { path: 'a' }, output: `text\n${REMINDER}` },
            },
          ],
        },
        { id: 'msg_reminder', role: 'user', parts: [REMINDER] },
        { role: 'assistant', parts: ['So.'] },
      ],
    });
    live.close();
    const feeder = new Feeder(live.path);
    const { sources } = await feeder.stage();
    const [source] = sources;
    if (source === undefined) throw new Error('nothing staged');
    expect(source.redacted).toEqual({ injected: 3 });
    const lines = readFileSync(source.path, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(JSON.stringify(lines.filter(({ type }) => type === 'user'))).not.toContain('reminder>');
    expect(JSON.stringify(lines.filter(({ type }) => type === 'assistant'))).toContain('reminder>');
    // The message is listed, so that it does not seem lost, without text.
    const silent = lines.filter(({ message }) => message.content.length === 0);
    expect(silent.map(({ messageId }) => messageId)).toEqual(['msg_reminder']);
    expect((await feeder.survey()).sessions()[0]?.messages).toBe(3);
  });

  it('leaves nothing of a session with no other text', async () => {
    const live = database();
    live.addSession({ title: 'Only reminded', messages: [{ role: 'user', parts: [REMINDER] }] });
    live.close();
    const run = await new Feeder(live.path).stage({ minMessages: 0 });
    expect(run.sources).toEqual([]);
    expect(run.skipped).toEqual([expect.objectContaining({ reason: 'nothing to keep' })]);
    expect((await new Feeder(live.path).stage({ minMessages: 1 })).sources).toEqual([]);
  });
});
