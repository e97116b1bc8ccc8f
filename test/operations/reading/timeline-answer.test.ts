import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NOTICE } from '../../../src/core/outside.js';
import type { Context } from '../../../src/operations/operation.js';
import { timeline } from '../../../src/operations/reading/timeline.js';
import { timelineAnswer } from '../../../src/operations/reading/timeline-answer.js';
import { estimateTokens } from '../../../src/reading/index.js';
import type { Palace } from '../../../src/store/index.js';
import { fileTexts, temporaryPalace } from '../../support/palace.js';

const idOf = (palace: Palace, text: string): string => {
  const found = palace.listing.drawers({}, { limit: 100, offset: 0 }).find((drawer) => drawer.text === text);
  if (found === undefined) throw new Error('not filed');
  return found.drawerId;
};
const answered = async (palace: Palace, text: string, tokens: number, radius = 3) => {
  const context = { handle: { get: () => palace } } as unknown as Context;
  const shown = await timeline.timeline.run({ id: idOf(palace, text), radius }, context);
  return timelineAnswer(shown, tokens);
};
const spent = (answer: unknown): number => estimateTokens(JSON.stringify(answer));

/** A palace of one day: a document of five drawers, and other documents. */
function filled(asked: string, other = 'Another text. '.repeat(20), name = 'Notes'): Palace {
  const palace = temporaryPalace();
  const texts = [0, 1, 2, 3, 4].map((n) => (n === 2 ? asked : `${n} ${other}`));
  fileTexts(palace, 'doc:p/a.md', texts, { title: name });
  for (let n = 0; n < 8; n += 1)
    fileTexts(palace, `doc:p/b${n}.md`, [`${n} of the day`], { title: `${name} ${n}` });
  return palace;
}

describe('a timeline of limited length', () => {
  it('never exceeds the limit; the requested drawer is whole if it fits', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'word ', '"', '\\', '\n', '\t', '記', '\u{20000}', '😀', '\u0001'),
      minLength: 1,
      maxLength: 1_500,
    });
    const limit = fc.oneof(fc.integer({ min: 100, max: 400 }), fc.integer({ min: 100, max: 5_000 }));
    await fc.assert(
      fc.asyncProperty(text, text, text, limit, fc.nat(4), async (asked, other, name, tokens, radius) => {
        const palace = filled(`asked ${asked}`, other, name);
        const answer = await answered(palace, `asked ${asked}`, tokens, radius);
        palace.close();
        expect(spent(answer)).toBeLessThanOrEqual(tokens);
        const [first] = answer.drawers;
        expect(`asked ${asked}`.startsWith(String(first?.text))).toBe(true);
        if (first?.cut !== true) return;
        const { drawer_id, day } = answer;
        const alone = { drawer_id, notice: NOTICE, day, drawers: [{ ...first, text: `asked ${asked}` }] };
        expect([spent(alone) > tokens, answer.drawers.length, 'same_day' in answer]).toEqual([
          true,
          1,
          false,
        ]);
      }),
      { numRuns: 60 },
    );
  });

  it('lists the requested drawer first, then its neighbours in order, then other sources of the day', async () => {
    const asked = 'The lamp is dry. '.repeat(30);
    const palace = filled(asked);
    const all = await answered(palace, asked, 5_000);
    expect(all.drawers.map(({ text }) => String(text)[0])).toEqual(['T', '0', '1', '3', '4']);
    expect(all).toMatchObject({ same_day_total: 8, source: { drawers: 5, title: 'Notes' } });
    expect(all.drawers[0]).toMatchObject({ text: asked, asked_for: true });
    expect('same_day' in all && all.same_day).toHaveLength(8);
    expect(Object.keys(all).slice(0, 4)).toEqual(['drawer_id', 'notice', 'day', 'drawers']);
    expect(Object.keys(all).at(-1)).toBe('same_day');

    const whole: boolean[] = [];
    const told = new Map<number, { neighbours: number; sameDay: number }>();
    for (let tokens = 100; tokens <= 1_500; tokens += 20) {
      const answer = await answered(palace, asked, tokens);
      const [first, ...around] = answer.drawers;
      const sameDay = 'same_day' in answer ? (answer.same_day ?? []).length : 0;
      told.set(tokens, { neighbours: around.length, sameDay });
      // Other sources of the day only after whole neighbours, and neighbours only after the whole drawer.
      if (sameDay > 0) expect([around.length, around.some(({ cut }) => cut)]).toEqual([4, false]);
      if (around.length > 0) expect(first).toMatchObject({ text: asked });
      whole.push(first?.text === asked);
    }
    // Whole from some limit on, and for all higher limits.
    expect([whole[0], whole.indexOf(true) < 10, whole.slice(whole.indexOf(true)).includes(false)]).toEqual([
      false,
      true,
      false,
    ]);
    expect(told.get(100)).toEqual({ neighbours: 0, sameDay: 0 });
    expect(told.get(1_500)).toEqual({ neighbours: 4, sameDay: 8 });
    expect([...told.values()].some(({ neighbours, sameDay }) => neighbours === 2 && sameDay === 0)).toBe(
      true,
    );
  });

  it('of a drawer with a very long source name shows the drawer', async () => {
    const asked = 'The lamp is dry.';
    const palace = filled(asked, 'Other.', 'endless '.repeat(2_000));
    for (const tokens of [100, 300, 3_000]) {
      const answer = await answered(palace, asked, tokens);
      expect(answer.drawers[0]).toMatchObject({ text: asked, asked_for: true });
      expect(answer.drawers[0]).not.toHaveProperty('cut');
      expect(spent(answer)).toBeLessThanOrEqual(tokens);
    }
  });
});
