import { expect, it } from 'vitest';
import type { Theme } from '../../contrib/pi/pi-api.js';
import { renderersOf } from '../../contrib/pi/render.js';

const theme: Theme = {
  fg: (colour, text) => `\u001b[3${colour.length % 7}m${text}\u001b[39m`,
  bold: (text) => text,
};
const plain: Theme = { fg: (_, text) => text, bold: (text) => text };
const { renderCall, renderResult } = renderersOf('palace search');
const resultOf = (value: unknown) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
  details: {},
});
const shown = (value: unknown, expanded = false, width = 60) =>
  renderResult(resultOf(value), { expanded, isPartial: false }, plain).render(width);
const hit = (title: string, text: string) => ({ drawer_id: 'drawer_1', title, wing: 'wing_shop', text });

it('shows a call on one line', () => {
  expect(renderCall({ query: 'why "once"?', limit: 3 }, plain).render(80)).toEqual([
    'palace search "why \\"once\\"?" limit=3',
  ]);
  expect(renderCall({ query: 'long '.repeat(100) }, plain).render(20)).toEqual(['palace search "long ']);
});

it('shows hits by their place and beginning, four at most, and all of it on demand', () => {
  const results = Array.from({ length: 6 }, (_, index) => hit(`Title ${index}`, 'Words\nof the\tpassage'));
  const lines = shown({ notice: 'quoted', results });
  expect(lines).toEqual([
    ...[0, 1, 2, 3].map((index) => `Title ${index} · wing_shop  Words of the passage`),
    '… 2 more',
  ]);
  expect(shown({ notice: 'quoted', results }, true)).toContain('      "title": "Title 5",');
});

it.each([
  [{ results: [] }, ['nothing found']],
  [{ error: 'not-found', hint: 'search first' }, ['not-found: search first']],
  [{ text: 'a\nb' }, ['a', 'b']],
  [{ notice: 'n', success: true, drawer_id: 'd' }, ['success: true  drawer_id: "d"']],
  ['no JSON', ['no JSON']],
])('shows %j', (value, lines) => {
  expect(shown(value)).toEqual(lines);
});

it('lets nothing from the palace reach the terminal, and is never wider than it', () => {
  const evil = '\u001b[2J\u001b]0;title\u0007\u009b31m\u202eабв 日本語 👩‍💻 e\u0301';
  for (const expanded of [false, true]) {
    for (const width of [1, 7, 20, 80]) {
      const lines = renderResult(
        resultOf({ results: [hit(evil, evil)] }),
        { expanded, isPartial: false },
        theme,
      ).render(width);
      for (const line of lines) {
        const words = line.replaceAll(/\u001b\[[0-9;]*m/g, '');
        expect(words).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
        const columns = [...words].reduce(
          (sum, each) => sum + (/[\u3000-\u9fff]|\p{Extended_Pictographic}/u.test(each) ? 2 : 1),
          0,
        );
        expect(columns).toBeLessThanOrEqual(width + (words.match(/\p{M}/gu)?.length ?? 0));
      }
    }
  }
});

it('wraps what is expanded, so that nothing is lost', () => {
  const lines = shown('word '.repeat(30).trim(), true, 20);
  expect(lines).toHaveLength(8);
  expect(lines.join('')).toBe('word '.repeat(30).trim());
});

it('a result that is not there yet is a dot', () => {
  expect(renderResult(resultOf(''), { expanded: false, isPartial: true }, plain).render(9)).toEqual(['…']);
});
