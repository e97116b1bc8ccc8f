import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Activity } from '../../src/activity/index.js';
import { surveyTranscripts, transcriptOf } from '../../src/feeders/transcripts/index.js';
import { readRecord } from '../../src/miner/read/records.js';
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
  'kimi-code': { touched: SHOP, failed: [NO_TEST, 'read missing.txt'], todos: TODOS },
  pi: {
    touched: ['edited cart.js', 'read cart.js', 'written NOTES.md'],
    failed: ['shell echo ERR-OUT-1 >&2; exit 3'],
  },
  'qwen-code': { touched: READ_MORE, failed: [NO_TEST, 'readfile missing.txt'], todos: TODOS },
};
const SHARED = '../shared/fixtures';

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
      for await (const line of lines) {
        const read = readRecord(line);
        if (read.kind === 'turn') activity.add(read);
      }
      return activity;
    }),
  );
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
