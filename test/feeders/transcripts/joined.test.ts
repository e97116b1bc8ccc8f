import { utimesSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HARNESSES } from '../../../src/feeders/transcripts/harnesses/index.js';
import { surveyTranscripts } from '../../../src/feeders/transcripts/survey.js';
import { filesIn } from '../../support/files-in.js';
import { at, LOGS, logOf } from '../../support/logs.js';
import { temporaryFolder } from '../../support/palace.js';
import { readFolder, transcriptOptions } from '../../support/staged-transcripts.js';
import { TestEnv } from '../../support/test-env.js';

const ID = '5b1e7f0c-0001-4000-8000-000000000000';
const words = (number: number) => `WORDS-${number} about rounding`;

function put(
  program: string,
  home: string,
  part: string,
  numbers: readonly number[],
  minute: number,
): string {
  const { head, message, file } = logOf(program, ID);
  const path = join(home, file(part));
  filesIn(
    { [basename(path)]: [...head, ...numbers.map((each) => message(each, words(each)))] },
    dirname(path),
  );
  utimesSync(path, new Date(at(minute)), new Date(at(minute)));
  return path;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
/** The numbers of the messages in a text, in its order. */
const numbersIn = (text: string) =>
  Array.from(text.matchAll(/WORDS-(\d+) /g), ([, number]) => Number(number));

async function only(folder: string) {
  const { conversations, skipped } = await readFolder(folder);
  const [[key, { text }] = ['', { text: '' }], ...others] = [...conversations];
  expect(others).toEqual([]);
  expect(key).toMatch(new RegExp(`:${ID}$`));
  return { numbers: numbersIn(text), skipped: skipped.map(({ reason }) => reason) };
}

describe.each(Object.keys(LOGS))('a session of %s in several files', (program) => {
  it('that continue each other is one source, in the order of their times', async () => {
    const { home } = new TestEnv();
    put(program, home, '01', range(4, 8), 30);
    put(program, home, '02', range(0, 4), 40);
    put(program, home, '03', range(8, 10), 50);
    expect(await only(home)).toEqual({ numbers: range(0, 10), skipped: [] });
  });

  it('that overlap contains each message once', async () => {
    const { home } = new TestEnv();
    put(program, home, '01', range(0, 6), 30);
    put(program, home, '02', [...range(0, 4), ...range(6, 9)], 40);
    expect(await only(home)).toEqual({ numbers: range(0, 9), skipped: [] });
  });

  it.each([
    ['newer', 30, 40],
    ['older', 40, 30],
  ])('of which the %s contains the other is read from that one', async (_, copied, whole) => {
    const { home } = new TestEnv();
    put(program, home, '01', range(0, 4), copied);
    put(program, home, '02', range(0, 8), whole);
    expect(await only(home)).toEqual({ numbers: range(0, 8), skipped: ['older copy of a session'] });
  });

  it('stays whole if a later run names only one of them; the next run changes nothing', async () => {
    const env = new TestEnv();
    put(program, env.home, '01', range(0, 4), 30);
    const second = put(program, env.home, '02', range(4, 8), 40);
    const all = ['--from', program, '--min-messages', '1'];
    expect(await env.json('mempalace-session', all)).toMatchObject({ new: 1, problems: [] });
    const { drawers_total: total } = await env.json('mempalace', [
      'mine',
      dirname(second),
      '--mode',
      'convos',
    ]);
    expect(await env.json('mempalace-session', all)).toMatchObject({ unchanged: 1, drawers_total: total });
    put(program, env.home, '02', range(4, 10), 50);
    expect(await env.json('mempalace-session', all)).toMatchObject({ changed: 1, drawers_removed: 0 });
  });

  it('is read whole by a hook that names one of them', async () => {
    const { home } = new TestEnv();
    const first = put(program, home, '01', range(4, 8), 40);
    const moved = put(program, home, '02', range(0, 4), 30);
    const harness = HARNESSES.find(({ name }) => name === program);
    const files = (await harness?.filesOfSession?.(first, ID)) ?? [];
    expect(files).toContain(moved);
    const { items } = await surveyTranscripts(await transcriptOptions([first, ...files]));
    expect(items.map(({ messages }) => messages)).toEqual([8]);
  });
});

it('a run with --since reads an older file of a session of Gemini CLI, which is named after the beginning of the id', async () => {
  const folder = temporaryFolder();
  const part = (name: string, numbers: readonly number[], minute: number) => {
    const path = join(folder, name, 'chats', `session-2026-03-04T05-00-${ID.slice(0, 8)}.jsonl`);
    const head = { sessionId: ID, projectHash: 'ab'.repeat(32), startTime: at(0), lastUpdated: at(0) };
    const messages = numbers.map((number) => ({
      id: `m${number}`,
      timestamp: at(number),
      type: number % 2 === 0 ? 'user' : 'gemini',
      content: number % 2 === 0 ? [{ text: words(number) }] : words(number),
    }));
    filesIn({ [basename(path)]: [head, ...messages] }, dirname(path));
    utimesSync(path, new Date(at(minute)), new Date(at(minute)));
  };
  part('shop', range(0, 4), 30);
  part('store', range(4, 8), 40);
  const options = { ...(await transcriptOptions()), files: undefined, places: [{ folder }] };
  const { items, skipped } = await surveyTranscripts({ ...options, since: Date.parse(at(35)) });
  expect({ messages: items.map(({ messages }) => messages), skipped }).toEqual({
    messages: [8],
    skipped: [],
  });
});
