import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as comparison from '../../../scripts/compare-transcripts.mjs';
import { NOTICE } from '../../../src/common/outside.js';
import { HARNESSES } from '../../../src/feeders/transcripts/index.js';
import { HARNESS_NAMES } from '../../../src/feeders/transcripts/names.js';
import { Palace } from '../../../src/store/index.js';
import { drawerIds } from '../../support/drawers.js';
import { SHARED, TestEnv } from '../../support/test-env.js';

interface Piece {
  file: string;
  text: string;
}
const { piecesOf, compareTexts } = comparison as unknown as {
  piecesOf(harness: string, folder: string): Piece[];
  compareTexts(
    pieces: Piece[],
    filed: Iterable<string>,
  ): { lost: Piece[]; doubled: Piece[]; compared: number };
};

/** One folder of transcripts that a real program wrote. Whoever adds a harness adds rows. */
interface Row {
  harness: string;
  /** Below `test/fixtures/transcripts/<harness>` (cut) and `fixtures/<harness>` of the shared folder (whole). */
  folder: string;
  /** What of it is laid where, below HOME. */
  lay: [from: string, to: string];
  /** By the key of each source that is filed: its title. */
  titles: Record<string, string>;
  /** Why others are not. */
  skipped: Record<string, number>;
}

const claude = (
  release: string,
  titles: Record<string, string>,
  skipped: Record<string, number> = {},
): Row => ({
  harness: 'claude-code',
  folder: release,
  lay: ['projects', '.claude/projects'],
  titles: Object.fromEntries(Object.entries(titles).map(([id, title]) => [`claude-code:${id}`, title])),
  skipped,
});

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
];

const own = fileURLToPath(new URL('../../fixtures/transcripts/', import.meta.url));
const whole = join(SHARED, 'fixtures');

const drawersBefore = z.record(z.string(), z.record(z.string(), z.array(z.string())));
/** Of what was filed right before transcripts were staged: the drawers that 0.1.0 (e86c30d) made of the cut fixtures. */
const BEFORE = {
  'claude-code': drawersBefore.parse(JSON.parse(readFileSync(join(own, 'claude-code-drawers.json'), 'utf8'))),
} as Record<string, z.infer<typeof drawersBefore>>;

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

const FIXTURES = [
  ['cut', own],
  ['whole', whole],
] as const;

describe.each(FIXTURES)('transcripts of real programs, %s', (_, root) => {
  it.skipIf(!existsSync(root)).each(ROWS)(
    '$harness $folder: every text once, nothing again',
    async ({ harness, folder, lay: [from, to], titles, skipped }) => {
      const env = new TestEnv();
      cpSync(join(root, harness, folder, from), join(env.home, to), {
        recursive: true,
        preserveTimestamps: true,
      });
      const run = (...args: string[]) =>
        env.json('mempalace-session', ['--from', harness, '--min-messages', '2', ...args]);
      const first = await run();
      expect(first).toMatchObject({
        new: Object.keys(titles).length,
        skipped_by_reason: skipped,
        problems: [],
      });
      const { texts, drawers, titles: found } = filed(env);
      expect(found).toEqual(titles);
      if (root === own) expect(drawers).toMatchObject(BEFORE[harness]?.[folder] ?? {});
      const { lost, doubled, compared } = compareTexts(piecesOf(harness, join(env.home, to)), texts.values());
      expect({ lost, doubled }).toEqual({ lost: [], doubled: [] });
      expect(compared).toBeGreaterThan(5);
      for (const text of texts.values()) expect(text).not.toContain(NOTICE);
      const count = Object.keys(titles).length;
      expect(await run()).toMatchObject({ new: 0, changed: 0, unchanged: count, drawers_added: 0 });
      // Wherever they lie, and whatever is said of what they are.
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
  it('has every harness under its name, and a row of each folder of fixtures', () => {
    expect(HARNESSES.map(({ name }) => name).sort()).toEqual([...HARNESS_NAMES].sort());
    for (const harness of readdirSync(own).filter((name) => !name.includes('.'))) {
      const rows = ROWS.filter((row) => row.harness === harness).map(({ folder }) => folder);
      expect(rows.sort()).toEqual(readdirSync(join(own, harness)).sort());
    }
  });
});
