import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as comparison from '../../../scripts/compare-transcripts.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as transcripts from '../../../scripts/transcript-pieces.mjs';
import { NOTICE } from '../../../src/core/outside.js';
import { HARNESS_NAMES } from '../../../src/feeders/transcripts/harness.js';
import { HARNESSES } from '../../../src/feeders/transcripts/harnesses/index.js';
import { Palace } from '../../../src/store/index.js';
import { drawerIds } from '../../support/drawers.js';
import { readFolder } from '../../support/staged-transcripts.js';
import { SHARED, TestEnv } from '../../support/test-env.js';

interface Piece {
  file: string;
  text: string;
}
const { piecesOf, COMPARED } = transcripts as unknown as {
  piecesOf(harness: string, folder: string): Piece[];
  COMPARED: string[];
};
const { compareTexts } = comparison as unknown as {
  compareTexts(
    pieces: Piece[],
    filed: Iterable<string>,
  ): { lost: Piece[]; doubled: Piece[]; compared: number };
};

/** A folder of transcripts that a real program wrote. A new harness needs rows. */
interface Row {
  harness: string;
  /** Below `test/fixtures/transcripts` (cut) and `fixtures` of the shared folder (whole). */
  folder: string;
  /** Source and destination paths; destinations are below HOME. */
  lay: [from: string, to: string];
  /** Titles of the filed sources, by key. */
  titles: Record<string, string>;
  /** Reasons for skipped ones. */
  skipped: Record<string, number>;
}

const claude = (
  release: string,
  titles: Record<string, string>,
  skipped: Record<string, number> = {},
): Row => ({
  harness: 'claude-code',
  folder: `claude-code/${release}`,
  lay: ['projects', '.claude/projects'],
  titles: Object.fromEntries(Object.entries(titles).map(([id, title]) => [`claude-code:${id}`, title])),
  skipped,
});

const CART = 'Fix the cart total';
const SURVEY = 'Use a helper to survey';
const TASK = 'SURVEY-TASK: list what cart.js does and report it.';
const OBJECTIVE = 'Your task is to do a deep investigation of the codebase to find all relevant…';

function rowsOf(
  harness: string,
  releases: string,
  lay: Row['lay'],
  cases: Record<string, Row['titles']>,
): Row[] {
  return Object.entries(cases).map(([name, titles]) => ({
    harness,
    folder: `${releases}/${name}`,
    lay,
    titles,
    skipped: {},
  }));
}

const ROWS: Row[] = [
  claude('1.0.60', {
    '058b3bf4-12f5-4a69-8894-d5d9ed833f4c': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
    '5474542b-1ccc-4fad-aa45-3435c97d339e': 'USER-PROMPT-agent go SCRIPT:agent',
    '64a8b669-590b-419f-8597-ef2b9b845fdf': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
    '8d672f4f-ab3d-4f2d-ba47-404aef967559': 'USER-PROMPT-2 continue SCRIPT:more',
    '91241cad-d057-411e-8f30-549e3a75c938': 'USER-PROMPT-4 after SCRIPT:more3',
    'ce322914-9689-4bfc-a65a-8159815dc850': 'USER-PROMPT-bg2 go SCRIPT:bg2',
    'e8b31356-d58b-494c-b8c9-7dc41bb04afc': 'USER-PROMPT-slow SCRIPT:slow',
  }),
  claude('1.0.128-titles', {
    '57163291-75aa-4367-88a6-346df7b5a043': 'Beta invoices question SCRIPT:beta',
    '5a75a650-8da8-4fcf-9501-567e456e33c1': 'Title about Alpha',
    '3742fea7-10f1-41b9-ac6e-265034efb20a': 'Gamma question SCRIPT:alpha',
  }),
  claude(
    '2.0.77',
    {
      '05349ad1-8af7-4ea9-9a9b-c51558140556': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
      '07b1a4ab-0f08-466b-8ea2-a09b9866cc4d': 'USER-PROMPT-slow SCRIPT:slow',
      '35ecc4d7-ffe6-43d9-b5ad-119ba48d9a3a': 'USER-PROMPT-bg2 go SCRIPT:bg2',
      '35ecc4d7-ffe6-43d9-b5ad-119ba48d9a3a/aaa0230': 'BG2-PROMPT-MARK SCRIPT:sub6',
      '9465272b-1004-4dc3-ab18-6d4564a80772': 'USER-PROMPT-5 fork SCRIPT:forked',
      'fba78446-87c2-426f-826f-32a7acdb99c1': 'USER-PROMPT-agent go SCRIPT:agent',
      'fba78446-87c2-426f-826f-32a7acdb99c1/a0d5aec':
        'AGENT-PROMPT-MARK please look into cart.js SCRIPT:sub1',
      'fba78446-87c2-426f-826f-32a7acdb99c1/a2533c7': 'AGENT2-PROMPT-MARK SCRIPT:sub2',
      'fba78446-87c2-426f-826f-32a7acdb99c1/abec30f': 'AGENT3-PROMPT-MARK SCRIPT:sub3',
    },
    { 'empty file': 3, 'warm-up of an agent': 2 },
  ),
  claude('2.1.330', {
    '14ae1112-8285-4127-859a-dae304c168ae': 'USER-PROMPT-slow SCRIPT:slow',
    '249cf1b0-7b26-4f82-99d0-62a00e8c5155': 'USER-PROMPT-agent go SCRIPT:agent',
    '249cf1b0-7b26-4f82-99d0-62a00e8c5155/a276fde30e305386f': 'Helper three',
    '249cf1b0-7b26-4f82-99d0-62a00e8c5155/ad48459075d711104': 'Look into cart',
    '249cf1b0-7b26-4f82-99d0-62a00e8c5155/aee93056eb9a4adae': 'Helper two',
    '38c43e46-d95f-4c8c-9296-0af20c895b3f': 'USER-PROMPT-5 fork SCRIPT:forked',
    'b63c1652-c138-479d-aba5-2005e4b538df': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
    'dd7f38b6-4e76-485b-b2fa-bb116e6f3d93': 'USER-PROMPT-bg2 go SCRIPT:bg2',
    'dd7f38b6-4e76-485b-b2fa-bb116e6f3d93/accaf6813b3bf151d': 'One answer',
  }),
  claude('2.1.330-tui', { 'f6a65494-878d-4f8c-8501-a48865629656': 'Mock renamed session' }),
  ...rowsOf('copilot', 'copilot-cli', ['.copilot', '.copilot'], {
    '1.0.102/two-turns-continue': { 'copilot:255714ca-63e7-429a-aa98-a3c495993065': CART },
    '1.0.102/subagent': {
      'copilot:3598a059-ada1-4af7-ad1d-2cedc5e479f4': SURVEY,
      'copilot:3598a059-ada1-4af7-ad1d-2cedc5e479f4/10510cb2-2bf8-4887-8e43-82d8bae8cc9d': 'Look at the cart',
    },
  }),
  ...rowsOf('gemini', 'gemini-cli', ['.gemini', '.gemini'], {
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
  }),
  ...rowsOf('kimi-code', 'kimi-code', ['.kimi-code', '.kimi-code'], {
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
  }),
  ...rowsOf('qwen', 'qwen-code', ['.qwen', '.qwen'], {
    '0.10.1/two-turns-continue': { 'qwen:1852153f-27e2-4b67-a40e-f4392148ee2a': CART },
    '0.24.4/two-turns-continue': { 'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART },
    '0.24.4/long-no-compression': { 'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART },
    '0.24.4/api-error': { 'qwen:4083d349-99bd-4d32-82ee-0cbd1426566c': 'Trigger an API error' },
    '0.24.4/fork-session': {
      'qwen:af730406-cd56-40d8-bfc9-967adb9086a3': CART,
      'qwen:32a98c45-1d83-4a6a-8682-c4fed7f6bd61': 'Summarise the project in one line',
    },
    '0.24.4/subagent': {
      'qwen:941d70f8-6a2e-4278-9e15-a75f84cc3b2c': SURVEY,
      'qwen:941d70f8-6a2e-4278-9e15-a75f84cc3b2c/general-purpose-call_use_0_0': TASK,
    },
  }),
  ...rowsOf('codex', 'codex', ['sessions', '.codex/sessions'], {
    '0.125.0': {
      'codex:01a204c3-6f41-7bc1-a5fe-a75c0f669c20': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
      'codex:01a204c3-7312-7ca3-80f9-69ef4886098e': 'USER-PROMPT-agent go SCRIPT:agent',
      'codex:01a204c3-7312-7ca3-80f9-69ef4886098e/01a204c3-7375-7443-ac53-055b98a6843e':
        'AGENT-PROMPT-MARK please look into cart.js SCRIPT:sub1',
      'codex:01a204c3-7488-7822-ba53-47eb142a2527': 'USER-PROMPT-agentfork go SCRIPT:agentfork',
      'codex:01a204c3-7488-7822-ba53-47eb142a2527/01a204c3-7508-71e0-9f8c-f4d22e073bf7':
        'AGENTFORK-PROMPT-MARK SCRIPT:sub4',
      'codex:01a204c3-762b-7733-a1a5-7bd9967e37c7': 'USER-PROMPT-usage go SCRIPT:usage',
    },
    '0.169.0-gpt-6-sol': {
      'codex:01a204c2-8799-7da0-87c0-22600fc9a02a': 'Please round the cart USER-PROMPT-1 SCRIPT:worksmall',
      'codex:01a204c2-8799-7da0-87c0-22600fc9a02a/01a204c2-9139-7953-a79b-29f5df48c0e2':
        'AGENTFORK-PROMPT-MARK SCRIPT:sub4',
      'codex:01a204c2-8c47-7d83-977f-888b06f10765': 'USER-PROMPT-agent go SCRIPT:agent',
      'codex:01a204c2-8c47-7d83-977f-888b06f10765/01a204c2-8cd3-7792-8b31-29075d3604c1':
        'AGENT-PROMPT-MARK please look into cart.js SCRIPT:sub1',
      'codex:01a204c2-8e7c-78a0-a5fc-6ad50957a710': 'USER-PROMPT-agentshort go SCRIPT:agentshort',
      'codex:01a204c2-8e7c-78a0-a5fc-6ad50957a710/01a204c2-8ee1-7630-a242-0faf6f9b9601':
        'AGENTSHORT-PROMPT-MARK SCRIPT:subshort',
      'codex:01a204c2-9314-7ac0-a74e-8a749b34480e': 'USER-PROMPT-usage go SCRIPT:usage',
      'codex:01a204c2-94ea-7023-8bc0-b64ebaec05a5': 'USER-PROMPT-5 fork SCRIPT:forked',
    },
    '0.169.0-tui': {
      'codex:01a204b4-7251-73e2-bacc-39e593cb399b': 'TUI-CX-PROMPT SCRIPT:more',
      'codex:01a204bd-5d69-7da3-b34e-b68da221492c': 'CXTUI-PROMPT-1 slow SCRIPT:slow',
    },
  }),
  ...rowsOf('pi', 'pi', ['.', '.pi/agent/sessions/shop'], {
    'pi-0.73.1': {
      'pi:01a2049c-e3b6-7201-a160-c950c51a86b0': 'Rounding of totals — ångström 円',
      'pi:01a2049c-f2f4-728f-8e6d-7d4077ed47d3': 'Second name',
      'pi:01a2049c-ff32-70b2-862e-6741da72278d': 'FORK-U5 In the fork, try a fourth way.',
      'pi:01a2049c-fff2-73bf-a28b-c9a564f272e3': 'CLONE-U6 Anything to add in the clone?',
      'pi:01a2049d-069e-7014-bd95-86a9cb2e4d38': 'COMP-U1 Question number 1 about the ledger?',
      'pi:01a204a7-2e8b-7014-b4ba-e75f16059433': 'P-U1 search it',
    },
    'pi-1.5.2': {
      'pi:01a2049d-156e-746b-8b1b-936bc44aa162': 'Rounding of totals — ångström 円',
      'pi:01a2049d-2bf5-73ee-b16e-922023827267': 'TREE-U1 How should the login survive the redirect?',
      'pi:01a2049d-2cd7-73ee-b16e-922357d0ff67': 'CLONE-U6 Anything to add in the clone?',
      'pi:01a204a3-0c72-753b-a728-fb1884b6341c': 'MCP-U1b Have we seen the rounding problem before?',
      'pi:01a204a3-ef5b-71fb-9f97-7095f08cee0f': '/skill:demo please run',
      'pi:01a204a7-0a36-74de-a314-9acfd6f76877': 'P-U1 search it',
      'pi:01a204bd-3256-7339-9707-32ad19664b53': 'AUTO-U1',
    },
  }),
];

const own = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));
const whole = join(SHARED, 'fixtures');

const drawersBefore = z.record(z.string(), z.record(z.string(), z.array(z.string())));
/** By release of Claude Code. Of what was filed right before transcripts were staged: the drawers that 0.1.0 (e86c30d) made of the cut fixtures. */
const BEFORE = drawersBefore.parse(JSON.parse(readFileSync(join(own, 'claude-code-drawers.json'), 'utf8')));

/** Every text of a palace's sources, and their titles, by key. */
function filed(env: TestEnv) {
  const palace = Palace.read(env.palace);
  try {
    const sources = [...palace.sources.ofKind('conversation').values()];
    const texts = new Map(sources.map(({ id, sourceKey }) => [sourceKey, palace.sources.textOf(id)]));
    const drawers = Object.fromEntries(
      sources.map(({ id, sourceKey }) => [sourceKey, drawerIds(palace, id)]),
    );
    return {
      texts,
      drawers,
      titles: Object.fromEntries(sources.map(({ sourceKey, title }) => [sourceKey, title])),
    };
  } finally {
    palace.close();
  }
}

/** Text of programs with the role of the user. */
const MACHINE =
  /<(?:session_context|hook_context|state_snapshot|system-reminder|current_datetime|environment_context|subagent_notification|local-command-stdout|user_shell_command)>|^# AGENTS\.md/;

const FIXTURES = [
  ['cut', own],
  ['whole', whole],
] as const;

describe.each(FIXTURES)('transcripts of real programs, %s', (_, root) => {
  // The project contains only some releases of some programs.
  const rows = root === own ? ROWS.filter(({ folder }) => existsSync(join(own, folder))) : ROWS;
  it.skipIf(!existsSync(root)).each(rows)(
    '$folder: every text once, nothing again',
    async ({ harness, folder, lay: [from, to], titles, skipped }) => {
      const env = new TestEnv();
      cpSync(join(root, folder, from), join(env.home, to), { recursive: true, preserveTimestamps: true });
      const run = (...args: string[]) =>
        env.json('mempalace-session', ['--from', harness, '--min-messages', '1', ...args]);
      const first = await run();
      expect(first).toMatchObject({
        new: Object.keys(titles).length,
        skipped_by_reason: skipped,
        problems: [],
      });
      const { texts, drawers, titles: found } = filed(env);
      expect(found).toEqual(titles);
      if (root === own) expect(drawers).toMatchObject(BEFORE[folder.replace('claude-code/', '')] ?? {});
      const { lost, doubled, compared } = compareTexts(piecesOf(harness, join(env.home, to)), texts.values());
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      expect(compared).toBeGreaterThan(0);
      for (const text of texts.values()) expect(text).not.toContain(NOTICE);
      const { conversations } = await readFolder(join(env.home, to));
      const asked = [...conversations.values()]
        .flatMap(({ blocks }) => blocks)
        .filter(({ spoken }) => spoken);
      expect(asked.map(({ text }) => text).filter((text) => MACHINE.test(text))).toEqual([]);
      const count = Object.keys(titles).length;
      expect(await run()).toMatchObject({ new: 0, changed: 0, unchanged: count, drawers_added: 0 });
      // In any folder, and with any harness option.
      expect(await env.json('mempalace', ['mine', join(env.home, to)])).toMatchObject({
        new: 0,
        changed: 0,
        unchanged: count,
        drawers_added: 0,
      });
    },
    60_000,
  );
});

describe('the table of harnesses', () => {
  it('compares the texts of every program, with a row for each folder of fixtures', () => {
    const known = HARNESSES.map(({ name }) => name as string);
    expect(known).toEqual(expect.arrayContaining([...HARNESS_NAMES]));
    // There are no transcripts of the real Kimi CLI.
    expect([...COMPARED, 'kimi'].sort()).toEqual([...HARNESS_NAMES].sort());
    const folders = ROWS.map(({ folder }) => folder);
    for (const { lay, folder } of ROWS.filter(({ folder }) => existsSync(join(own, folder))))
      expect(readdirSync(join(own, folder))).toEqual(expect.arrayContaining(lay[0] === '.' ? [] : [lay[0]]));
    for (const program of ['claude-code', 'codex', 'pi'])
      for (const release of readdirSync(join(own, program)))
        expect(folders).toContain(`${program}/${release}`);
    for (const program of ['copilot-cli', 'gemini-cli', 'kimi-code', 'qwen-code'])
      for (const release of readdirSync(join(own, program)))
        for (const talk of readdirSync(join(own, program, release)))
          expect(folders).toContain(`${program}/${release}/${talk}`);
  });
});
