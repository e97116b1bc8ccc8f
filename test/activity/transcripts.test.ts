import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Activity, activityOfText, TextActivity } from '../../src/activity/index.js';
import type { TurnMark } from '../../src/core/turns.js';
import { transcriptOf } from '../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../src/feeders/transcripts/survey.js';
import { conversationSegments } from '../../src/miner/read/conversation.js';
import { readRecord } from '../../src/miner/read/records.js';
import { numbered } from '../../src/platform/jsonl.js';
import { transcriptOptions } from '../support/staged-transcripts.js';

/** What the scripted sessions of each program did (MANIFEST.md of ../shared/fixtures). */
const SHOP = ['edited cart.js', 'read cart.js', 'written NOTES.md', 'written cart.test.js'];
const READ_MORE = [...SHOP, 'read README.md'].sort();
const TODOS = ['in_progress Fix total()', 'pending Add a test'];
const NO_TEST = 'shell node no-such-test.js';
const FAILING = 'shell ls /nonexistent-WORKDIR; echo ERR-TAIL-MARK >&2; exit 3';
const DID: Readonly<Record<string, { touched: string[]; failed: string[]; todos?: string[] }>> = {
  'claude-code': {
    touched: ['edited cart.js', 'read cart.js', 'read pixel.png', 'written notes.md'],
    failed: ['edit cart.js', FAILING],
  },
  codex: {
    // Codex reads through its shell.
    touched: ['edited cart.js', 'read cart.js', 'read pixel.png', 'written notes.md'],
    failed: ['exec cart.js', FAILING],
  },
  'copilot-cli': { touched: SHOP, failed: [NO_TEST, 'view missing.txt'] },
  'gemini-cli': { touched: READ_MORE, failed: [NO_TEST, 'readfile missing.txt'], todos: TODOS },
  'kimi-code': { touched: READ_MORE, failed: [NO_TEST, 'read missing.txt'], todos: TODOS },
  pi: {
    touched: ['edited cart.js', 'read cart.js', 'written NOTES.md'],
    failed: ['shell echo ERR-OUT-1 >&2; exit 3'],
  },
  'qwen-code': { touched: READ_MORE, failed: [NO_TEST, 'readfile missing.txt'], todos: TODOS },
};
const SHARED = '../shared/fixtures';

/** Collected from the parts, checked against what the filed text gives. */
async function activitiesBelow(folder: string): Promise<Activity[]> {
  const options = await transcriptOptions([]);
  const survey = await surveyTranscripts({
    ...options,
    places: [{ folder }],
    files: undefined,
    minMessages: 0,
  });
  return Promise.all(
    survey.items.map(async (item) => {
      const activity = new Activity();
      const { lines } = await transcriptOf(item, options.sanitiser.scope());
      const staged: string[] = [];
      for await (const line of lines) staged.push(line);
      for (const line of staged) {
        const read = readRecord(line);
        if (read.kind === 'turn') activity.add(read);
      }
      await expectSameFromText(activity, staged);
      return activity;
    }),
  );
}

async function expectSameFromText(activity: Activity, staged: readonly string[]): Promise<void> {
  const collected = new TextActivity('/dev');
  let text = '';
  const turns: TurnMark[] = [];
  for await (const segment of conversationSegments({
    path: numbered(Readable.from(staged)),
    activity: collected,
  })) {
    text += segment.text;
    turns.push(...segment.turns);
  }
  const derived = collected.finish();
  expect(activityOfText(text, turns, '/dev')).toEqual(derived);
  const short = ({ action, path }: { action: string; path: string }) => `${action} ${fileName(path)}`;
  expect(derived.touched.map(short)).toEqual(activity.touched.map(short));
  const signed = activity.failures.filter(({ signature }) => signature !== undefined);
  const failed = derived.failures.map(({ signature, command }) => `${signature} ${command}`);
  expect(failed.sort()).toEqual(sorted(signed.map(({ signature, command }) => `${signature} ${command}`)));
}

const fileName = (path: string): string => path.replace(/.*\//, '');
const sorted = (names: string[]): string[] => [...new Set(names)].sort();

/** The own samples are some of the sessions, the shared ones are all. */
describe.each([
  ['own samples', 'test/fixtures/transcripts', false],
  ['../shared', SHARED, true],
])('%s', (_, root, isWhole) => {
  test.skipIf(!existsSync(root)).each(Object.entries(DID))('%s', async (program, did) => {
    const activities = await activitiesBelow(join(root, program));
    const touched = activities.flatMap((each) =>
      each.touched.map(({ action, path }) => `${action} ${fileName(path)}`),
    );
    const failures = activities.flatMap((each) => each.failures);
    const failed = failures.map(({ tool, command, file }) => `${tool} ${command ?? fileName(file ?? '')}`);
    const todos = activities.flatMap((each) => each.todos.map(({ text, status }) => `${status} ${text}`));
    expect(did.touched).toEqual(expect.arrayContaining(sorted(touched)));
    expect(touched.length).toBeGreaterThan(0);
    if (!isWhole) return;
    expect(sorted(touched)).toEqual(did.touched);
    expect(sorted(failed)).toEqual(expect.arrayContaining(did.failed));
    expect(sorted(todos)).toEqual(did.todos ?? []);
  });
});
