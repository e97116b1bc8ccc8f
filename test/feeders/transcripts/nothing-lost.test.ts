import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import glob from 'fast-glob';
import { describe, expect, it } from 'vitest';
import { copilotSaid, geminiSaid, kimiCodeSaid, qwenSaid } from '../../support/said-by.js';
import { type Json, recordsOf, type Said } from '../../support/said-in.js';
import { readFolder } from '../../support/staged-transcripts.js';

const CARRIED = fileURLToPath(new URL('../../fixtures/transcripts', import.meta.url));
const SHARED = fileURLToPath(new URL('../../../../shared/fixtures', import.meta.url));

interface Row {
  said: (record: Json) => Said[];
  files: string;
  /** By case: the titles, by source key. */
  cases: Record<string, Record<string, string>>;
}

/** Cases whose files name the folder nowhere. */
const NO_FOLDER: Record<string, true> = {};

const CART = 'Fix the cart total';
const SURVEY = 'Use a helper to survey';
const TASK = 'SURVEY-TASK: list what cart.js does and report it.';
const OBJECTIVE = 'Your task is to do a deep investigation of the codebase to find all relevant…';

const ROWS: Record<string, Row> = {
  'copilot-cli': {
    said: copilotSaid,
    files: '.copilot/session-state/**/*.jsonl',
    cases: {
      '1.0.102/two-turns-continue': { 'copilot:255714ca-63e7-429a-aa98-a3c495993065': CART },
      '1.0.102/subagent': {
        'copilot:3598a059-ada1-4af7-ad1d-2cedc5e479f4': SURVEY,
        'copilot:3598a059-ada1-4af7-ad1d-2cedc5e479f4/10510cb2-2bf8-4887-8e43-82d8bae8cc9d':
          'Look at the cart',
      },
    },
  },
  'gemini-cli': {
    said: geminiSaid,
    files: '.gemini/tmp/**/{*.jsonl,session-*.json}',
    cases: {
      '0.17.1/two-turns-resume': { 'gemini:b1230b51-b448-4ab2-a1f9-c8a449a30103': CART },
      '0.17.1/compression': { 'gemini:b1230b51-b448-4ab2-a1f9-c8a449a30103': CART },
      '0.38.2/two-turns-resume': { 'gemini:57e42987-1e24-43a6-b743-4178871dd0ab': CART },
      '0.38.2/compression': { 'gemini:57e42987-1e24-43a6-b743-4178871dd0ab': CART },
      '0.38.2/subagent-and-error': {
        'gemini:9bd2762c-1840-4abc-a8c9-b19590cefdcb': 'Trigger an API error',
        'gemini:c84c8074-341d-4833-8998-198c7d1e2b8a': SURVEY,
      },
      '0.39.1/two-turns-resume': { 'gemini:6a45db0d-21b6-4308-83e2-04ae604429d3': CART },
      '0.61.0/two-turns-resume': { 'gemini:c43c46a9-8806-4637-b955-d56c96293fc1': CART },
      '0.61.0/compression': { 'gemini:c43c46a9-8806-4637-b955-d56c96293fc1': CART },
      '0.61.0/subagent': {
        'gemini:b672f6a0-89b8-47e6-b005-7977788a3b3e': SURVEY,
        'gemini:b672f6a0-89b8-47e6-b005-7977788a3b3e/f57edc52-900b-4c5a-982c-a0c6487be172': OBJECTIVE,
      },
      '0.61.0/api-error-headless': { 'gemini:0ed9db9b-895d-48dd-b84b-e57dd627a696': 'Trigger an API error' },
      '0.61.0/session-file-import': {
        'gemini:6d8f6ea4-355b-4a6c-8358-58fb443d9c34':
          'A tiny shop: cart.js adds up prices; README.md says how to run it.',
      },
    },
  },
  'kimi-code': {
    said: kimiCodeSaid,
    files: '.kimi-code/sessions/**/wire.jsonl',
    cases: {
      '0.10.0/one-turn': { 'kimi-code:session_f8ff9abc-d546-4485-a333-e03cab20b8d4': CART },
      '2.1.0/two-turns-continue': { 'kimi-code:session_3cfbaa66-c03d-4e7e-b8cb-6f3884a00433': CART },
      '2.1.0/compaction': { 'kimi-code:session_3cfbaa66-c03d-4e7e-b8cb-6f3884a00433': CART },
      '2.1.0/fork': {
        'kimi-code:session_3cfbaa66-c03d-4e7e-b8cb-6f3884a00433': CART,
        'kimi-code:session_5158379d-5218-4a7b-b66f-d1bde625e22b':
          'Fork: session_3cfbaa66-c03d-4e7e-b8cb-6f3884a00433',
      },
      '2.1.0/subagent': {
        'kimi-code:session_b368d4c9-7312-45b6-a03c-ea39b4b87af0': SURVEY,
        'kimi-code:session_b368d4c9-7312-45b6-a03c-ea39b4b87af0/agent-0': TASK,
      },
    },
  },
  'qwen-code': {
    said: qwenSaid,
    files: '.qwen/projects/**/*.jsonl',
    cases: {
      '0.10.1/two-turns-continue': { 'qwen:1852153f-27e2-4b67-a40e-f4392148ee2a': CART },
      '0.24.4/two-turns-continue': { 'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART },
      '0.24.4/long-no-compression': { 'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART },
      '0.24.4/api-error': { 'qwen:4083d349-99bd-4d32-82ee-0cbd1426566c': 'Trigger an API error' },
      '0.24.4/fork-session': {
        'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART,
        'qwen:32a98c45-1d83-4a6a-8682-c4fed7f6bd61': CART,
      },
      '0.24.4/subagent': {
        'qwen:941d70f8-6a2e-4278-9e15-a75f84cc3b2c': SURVEY,
        'qwen:941d70f8-6a2e-4278-9e15-a75f84cc3b2c/general-purpose-call_use_0_0': TASK,
      },
    },
  },
};

const squeezed = (text: string): string => text.replace(/\s+/g, ' ').trim();
/** How a reader marks a text, before the text. */
const MARKS = /^\[(?:reasoning|summary|error|command)\] /;
/** The sanitiser takes these out of every text. */
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;
const MACHINE = /<(?:session_context|hook_context|state_snapshot|system-reminder|current_datetime)>/;

describe.each(Object.entries(ROWS))('transcripts of %s', (harness, { said, files, cases }) => {
  for (const [name, titles] of Object.entries(cases)) {
    for (const [root, path] of Object.entries({ carried: CARRIED, shared: SHARED })) {
      const folder = join(path, harness, name);
      if (root === 'carried' && !existsSync(folder)) continue;
      it.skipIf(!existsSync(folder))(`${name}, ${root}: every text is staged, none twice`, async () => {
        const { conversations } = await readFolder(folder);
        const found = Object.fromEntries([...conversations].map(([key, { head }]) => [key, head.title]));
        expect(found).toEqual(titles);
        expect([...conversations.values()].flatMap(({ problems }) => problems)).toEqual([]);
        const folders = [...conversations.values()].map(({ head }) => head.cwd);
        expect(folders).toEqual(folders.map(() => (name in NO_FOLDER ? undefined : '/home/dev/work/shop')));

        const paths = await glob(files, { cwd: folder, absolute: true, dot: true });
        const all = paths.flatMap(recordsOf).flatMap(said);
        expect(all.length).toBeGreaterThan(0);
        const text = squeezed([...conversations.values()].map((each) => each.text).join('\n'));
        const plain = (each: Said) => squeezed(each.text.replace(MARKS, '').replace(REMINDER, ''));
        expect(all.map(plain).filter((each) => !text.includes(each))).toEqual([]);

        const blocks = [...conversations.values()].flatMap((each) => each.blocks);
        // As often as there are messages that say it, whatever the number of their copies.
        const messages = new Map<string, Set<string | undefined>>();
        for (const each of all)
          if (each.who !== 'tool' && each.message !== undefined)
            messages.set(plain(each), (messages.get(plain(each)) ?? new Set()).add(each.message));
        const texts = blocks.filter(({ type }) => type === 'text' || type === 'summary');
        const times = (wanted: string) =>
          texts.filter((block) => squeezed(block.text.replace(MARKS, '')) === wanted).length;
        expect([...messages].map(([each]) => [each, times(each)])).toEqual(
          [...messages].map(([each, ids]) => [each, ids.size]),
        );

        const human = blocks.filter(({ spoken, type }) => spoken && type === 'text');
        expect(human.filter((block) => MACHINE.test(block.text))).toEqual([]);
        expect(human.map((block) => squeezed(block.text)).sort()).toEqual(
          [...messages]
            .filter(([each]) => all.some((one) => one.who === 'user' && plain(one) === each))
            .flatMap(([each, ids]) => [...ids].map(() => each))
            .sort(),
        );
      });
    }
  }
});
