import { describe, expect, it } from 'vitest';
import { excerptOf } from '../../page/excerpt.js';
import { matcherOf } from '../../src/search/matches.js';

describe('what a list of hits shows of a passage', () => {
  const owl = matcherOf('owl');
  const long = 'The barn is red and old, and nobody knows why. '.repeat(40);

  it.each([
    [
      'the best line with what is beside it',
      'A\n\nThe owl **hunts**.\nAt night.',
      2,
      'A The owl hunts. At night.',
    ],
    ['the lines before at the end of a text', '# Barn\n\n- Red.\n\n- The owl.', 4, 'Barn Red. The owl.'],
    ['no fences and rules', '```sh\nowl --hunt\n```\n---\n|---|\nDone', 1, 'owl --hunt Done'],
    ['nothing of an empty text', '', 0, ''],
  ])('is %s', (_, text, best, excerpt) => expect(excerptOf(text, best, owl)).toBe(excerpt));

  it('is the part of a long line with the words, and begins with a whole word', () => {
    const excerpt = excerptOf(`${long}The owl hunts. ${long}`, 0, owl);
    expect(excerpt).toMatch(/^…(?:[a-z]+ )+.*The owl hunts/i);
    expect(excerpt.length).toBeLessThan(400);
  });

  it('cuts no character', () => {
    const birds = '🦉'.repeat(400);
    for (const text of [
      `a${birds}`,
      birds,
      `${birds} The owl hunts. a${birds}`,
      `Ab.\na${birds.slice(0, 200)}\nThe owl.`,
    ])
      for (const best of [0, text.split('\n').length - 1])
        expect(excerptOf(text, best, owl)).not.toMatch(/\p{Surrogate}/u);
  });

  it('begins with the end of the line before, within a paragraph', () => {
    const excerpt = excerptOf(`${long}\n${'The owl hunts. '.repeat(12)}`, 1, owl);
    expect(excerpt).toMatch(/^…(?:[\w.,]+ )+The owl/);
  });
});
