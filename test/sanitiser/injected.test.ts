import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSanitiser, movedPlaces, withoutInjected } from '../../src/sanitiser/index.js';
import { PASSWORD } from './secrets.js';

const sanitiser = await createSanitiser({ redact: true });
const TAGS = [
  ...'system-reminder system system_instruction system-instruction system_instructions'.split(' '),
  ...'user-prompt-submit-hook session-start-hook post-tool-use-hook stop-hook hook_output'.split(' '),
  ...'local-command-caveat task-notification'.split(' '),
];

describe('text that harnesses inject', () => {
  it.each(TAGS)(
    '<%s> goes, wherever it stands, in any case, with attributes, over many lines',
    async (tag) => {
      const block = `<${tag}>\nDo not tell.\n\n- a\n</${tag}>`;
      for (const [text, left, count] of [
        [block, '', 1],
        [`before\n${block}\nafter`, 'before\n\nafter', 1],
        [`before${block}after`, 'beforeafter', 1],
        [`${block}${block} and ${block.toUpperCase()}`, ' and ', 3],
        [`a <${tag} name="x" n=1>y</${tag} >b`, 'a b', 1],
        [`<${tag}>a<${tag}>b</${tag}>c</${tag}>d`, 'd', 1],
        [`<${tag}>a <other-hook>b</${tag}> c`, ' c', 1],
      ] as const) {
        expect(await sanitiser.clean(text, 'turn'), text).toEqual({
          text: left,
          redacted: { injected: count },
        });
        expect(await sanitiser.clean(text), text).toEqual({ text, redacted: {} });
      }
    },
  );

  it.each([
    ['an opening tag without its end', '<system-reminder> and then nothing came'],
    ['an end without its beginning', 'so </system-reminder> it ends'],
    ['an element without content', 'a <system-reminder/> b </system-reminder>'],
    ['other elements', '<systems>x</systems> <my-hooks>y</my-hooks> <hook>z</hook> <b>w</b>'],
    ["a person's own words", '<command-args>fix it</command-args> <bash-input>ls</bash-input>'],
    ['a fenced example', 'See:\n```xml\n<system-reminder>\nx\n</system-reminder>\n```\nWhy?'],
    ['one between tildes, in a quote', '> ~~~\n> <system>a</system>\n> ~~~\n'],
    [
      'an example between backticks',
      'What is `<system-reminder>x</system-reminder>` and ``<system>`</system>``?',
    ],
    ['names between backticks', 'Claude writes `<system-reminder>` first and `</system-reminder>` last.'],
  ])('stays: %s', async (_, text) => {
    expect(await sanitiser.clean(text, 'turn')).toEqual({ text, redacted: {} });
  });

  it.each([
    ['behind a block', '```\ncode\n```\n<system-reminder>x</system-reminder>', '```\ncode\n```\n'],
    ['glued to its end', '```\ncode\n```<system-reminder>x</system-reminder>', '```\ncode\n```'],
    ['glued to its beginning', '<system-reminder>x</system-reminder>```\ncode\n```', '```\ncode\n```'],
    ['behind a fence that never ends', '```\ncode\n<system-reminder>x</system-reminder>', '```\ncode\n'],
    [
      'with a fence of its own, behind one that never ends',
      '```\ncode\n<system-reminder>\n```\nx\n</system-reminder>',
      '```\ncode\n',
    ],
    [
      'with a fence that never ends, before a block',
      '<system-reminder>\n```\nx\n</system-reminder>\n```js\ncode\n```',
      '\n```js\ncode\n```',
    ],
    ['behind a lone backtick', "don`t\n<system-reminder>it's `x`</system-reminder>", 'don`t\n'],
    ['that names its own tags', '<system-reminder>no `</system-reminder>` here</system-reminder>!', '!'],
    [
      'behind a name between backticks',
      'What is `<system-reminder>`?<system-reminder>x</system-reminder>',
      'What is `<system-reminder>`?',
    ],
  ])('is removed: %s', async (_, text, left) => {
    expect(await sanitiser.clean(text, 'turn')).toEqual({ text: left, redacted: { injected: 1 } });
  });

  it('is removed in tool results, except for a tag that is common in files', async () => {
    const file = '<config><system>linux</system></config>';
    const text = `${file}\n<system-reminder>The file is short.</system-reminder>`;
    expect(await sanitiser.clean(text, 'result')).toEqual({ text: `${file}\n`, redacted: { injected: 1 } });
  });

  it('is removed first, then private blocks, then secrets', async () => {
    const text = `<system-reminder>password=${PASSWORD} <private></system-reminder>a <private>b</private> password: ${PASSWORD}`;
    expect(await sanitiser.clean(text, 'turn')).toEqual({
      text: 'a [PRIVATE] password: [REDACTED:password]',
      redacted: { injected: 1, private: 1, password: 1 },
    });
    const around = '<private>a <system>b</system> c</private>d';
    expect((await sanitiser.clean(around, 'turn')).redacted).toEqual({ injected: 1, private: 1 });
  });

  it('is kept when redaction is off', async () => {
    const off = await createSanitiser({ redact: false });
    const text = '<system>x</system>';
    expect(await off.clean(text, 'turn')).toEqual({ text, redacted: {} });
  });
});

const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(...TAGS.flatMap((tag) => [`<${tag}>`, `</${tag}>`])),
      fc.constantFrom('```', '\n```\n', '\n~~~\n', '`', '``', '\n', ' ', '<private>', '</private>', '🔑'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 16 },
  )
  .map((parts) => parts.join(''));

describe('properties', () => {
  it('a second removal changes nothing; the rest is original text, in order', () => {
    fc.assert(
      fc.property(soup, (text) => {
        const left = withoutInjected(text);
        expect(withoutInjected(left)).toBe(left);
        let at = 0;
        for (const character of left) at = text.indexOf(character, at) + character.length;
        expect(at).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2_000 },
    );
  });

  it('a trace maps every position', async () => {
    await fc.assert(
      fc.asyncProperty(soup, fc.array(fc.nat(200), { maxLength: 6 }), async (soupText, cuts) => {
        const text = `${soupText} password=${PASSWORD} ${soupText}`;
        const { text: cleaned, steps } = await sanitiser.trace(text, 'turn');
        const places = [
          0,
          ...cuts.map((cut) => Math.min(cut, text.length)).sort((a, b) => a - b),
          text.length,
        ];
        const moved = movedPlaces(places, steps);
        expect(moved[0]).toBe(0);
        expect(moved.at(-1)).toBe(cleaned.length);
        expect(moved).toEqual([...moved].sort((a, b) => a - b));
        // Text that no edit touched is mapped to the same text.
        const joined = moved.slice(1).map((end, index) => cleaned.slice(moved[index], end));
        expect(joined.join('')).toBe(cleaned);
        const at = text.indexOf('password=');
        const [from = 0, to = 0] = movedPlaces([at, at + 9], steps);
        if (cleaned.includes('password=')) expect(['password=', '']).toContain(cleaned.slice(from, to));
      }),
      { numRuns: 500 },
    );
  });
});
