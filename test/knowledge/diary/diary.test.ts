import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { agentOf, type DiaryNote, readDiary, writeDiary } from '../../../src/knowledge/diary/index.js';
import { createSanitiser } from '../../../src/sanitiser/index.js';
import { search } from '../../../src/search/index.js';
import { Palace } from '../../../src/store/index.js';
import { type CountingEmbedder, countingEmbedder } from '../../support/embedder.js';
import { it } from '../../support/it.js';
import { TINY_MODEL, temporaryPalace } from '../../support/palace.js';
import { problemsIn } from '../../support/soundness.js';

const NOW = Date.UTC(2026, 5, 1, 12);
const HOUR = 3_600_000;

async function write(
  palace: Palace,
  note: Partial<DiaryNote> & { entry: string },
  { at = NOW, embedder = countingEmbedder() }: { at?: number; embedder?: CountingEmbedder } = {},
) {
  return writeDiary(
    palace,
    { agent: 'OpenCode', ...note },
    {
      sanitiser: await createSanitiser({ redact: true }),
      embedder: async () => embedder,
      run: { command: 'test', scope: '', narrowed: true, versions: {}, startedMs: at },
    },
  );
}

const read = (palace: Palace, more: object = {}) => readDiary(palace, { limit: 10, offset: 0, ...more });

describe('a diary', () => {
  it('stores long entries whole, and returns the newest first', async ({ palace }) => {
    const long = `# What was done\n\n${'We moved a paragraph and looked at it again.\n\n'.repeat(400)}`;
    const first = await write(palace, { entry: long });
    expect(first.drawerIds.length).toBeGreaterThan(5);
    expect(first).toMatchObject({ already: false, redacted: {}, entry: { topic: 'general' } });
    await write(palace, { entry: 'Short.', topic: ' the  release ' }, { at: NOW + HOUR });
    const { entries, total } = read(palace, { agent: 'opencode' });
    expect(total).toBe(2);
    expect(entries).toMatchObject([
      { agent: 'opencode', wing: 'wing_opencode', topic: 'the release', content: 'Short.' },
      { timestamp: '2026-06-01T12:00:00.000Z', content: long },
    ]);
    expect(read(palace, { limit: 1, offset: 1 }).entries).toMatchObject([{ content: long }]);
    expect(palace.rooms()).toMatchObject([{ wing: 'wing_opencode', room: 'diary', sources: 2 }]);
    const [source] = palace.archive.sources();
    expect(source).toMatchObject({ ingestMode: 'diary', kind: 'document', contentDate: '2026-06-01' });
    expect(problemsIn(palace)).toEqual([]);
  });

  it('writes nothing twice if a call is repeated within a day', async ({ palace }) => {
    const note = { entry: 'Set the cookie to Lax.', topic: 'login' };
    const first = await write(palace, note);
    const embedder = countingEmbedder();
    const again = await write(palace, note, { at: NOW + 23 * HOUR, embedder });
    expect(again).toMatchObject({ already: true, entry: first.entry, drawerIds: first.drawerIds });
    expect(embedder.texts).toEqual([]);
    for (const other of [{ topic: 'x' }, { agent: 'codex' }, { wing: 'wing_shop' }])
      expect((await write(palace, { ...note, ...other })).already).toBe(false);
    expect((await write(palace, note, { at: NOW + 25 * HOUR })).already).toBe(false);
    expect(read(palace).total).toBe(5);
    expect(read(palace, { agent: 'codex' }).total).toBe(1);
    expect(read(palace, { wing: 'wing_shop' }).total).toBe(1);
    expect(read(palace, { topic: 'login' }).total).toBe(4);
  });

  it('writes two equal entries at the same time once, without the run lock', async ({ palace }) => {
    const other = Palace.write(palace.folder, TINY_MODEL);
    const results = await Promise.all(
      [palace, other, palace, other].map((each) => write(each, { entry: 'Same words.' })),
    );
    other.close();
    expect(results.filter(({ already }) => !already)).toHaveLength(1);
    expect(read(palace).total).toBe(1);
    expect(palace.runs.latest(10)).toMatchObject([{ command: 'test', exitCode: 0 }]);
  });

  it('embeds a text again if a run removes it meanwhile', async ({ palace }) => {
    const embedder = countingEmbedder();
    const transaction = palace.transaction.bind(palace);
    let dropped = false;
    // As at the end of a run, between embedding and filing.
    palace.transaction = (work) => {
      if (!dropped) palace.vectors.pending.dropUnfiled();
      dropped = true;
      return transaction(work);
    };
    expect(await write(palace, { entry: 'Once more.' }, { embedder })).toMatchObject({ already: false });
    expect(embedder.texts.length).toBe(2);
    expect(problemsIn(palace)).toEqual([]);
  });

  it('is found by search, by its words and by its topic', async ({ palace }) => {
    await write(palace, { entry: 'The redirect dropped the cookie.', topic: 'login' });
    for (const question of ['redirect', 'login']) {
      const [hit] = (await search({ palace, embedder: countingEmbedder(), question, limit: 3 })).hits;
      expect(hit?.drawer).toMatchObject({ room: 'diary', title: 'diary: login' });
    }
  });

  it('redacts secrets', async ({ palace }) => {
    const secret = ['kJ8s', 'Qw3x', 'Zt9v', 'Lm2p', 'Rb6n'].join('');
    const { redacted } = await write(palace, { entry: `password: ${secret}` });
    expect(redacted).toEqual({ password: 1 });
    expect(read(palace).entries[0]?.content).toBe('password: [REDACTED:password]');
  });

  it.each([
    ['the entry is empty', { entry: ' \n' }],
    ['not the name of an agent', { entry: 'x', agent: ' / ' }],
    ['not a wing', { entry: 'x', wing: '../x' }],
    ['a topic is at most', { entry: 'x', topic: 'x'.repeat(129) }],
  ])('refuses: %s', async (message, note) => {
    await expect(write(temporaryPalace(), note)).rejects.toThrow(message);
  });

  it('normalises the name of the agent, which stays the same', () => {
    expect(['Claude Code', 'claude_code', ' CLAUDE  code '].map(agentOf)).toEqual(
      Array(3).fill('claude_code'),
    );
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('a', 'B', '7', ' ', '/', '\\', '..', '\n', 'é', '記', '\u0301', '-'),
          maxLength: 80,
        }),
        (text) => {
          let agent: string;
          try {
            agent = agentOf(text);
          } catch {
            return;
          }
          expect(agentOf(agent)).toBe(agent);
          expect(agent).not.toMatch(/[/\\\s\p{Cc}]/u);
        },
      ),
    );
  });
});
