import { describe, expect, it } from 'vitest';
import { aliasesIn, frontMatterAt } from '../../src/core/front-matter.js';

describe('front matter', () => {
  it.each([
    '---\n\n# A heading\n\nText below a rule.\n\n---\n',
    '---\n# A heading\n\nNo key here.\n---\n',
    '---\nIt is said: rules are lines. They begin a text, too.\n---\n',
    '---\n# Meeting\n\nAttendees: Ann\nTopic: cart\n\n---\n',
    '---\ntitle: never closed\n',
    'text\n---\ntitle: x\n---\n',
  ])('is none in %j', (text) => {
    expect(frontMatterAt(text)).toBeUndefined();
  });

  it.each([
    ['---\n# a comment\ntitle: x\n---\nrest', 'rest'],
    ['---\n---\nrest', 'rest'],
    ['---\n# About\n\ntitle: x\n---\nrest', 'rest'],
    ['---\r\n"the title": x\r\n---\r\nrest', 'rest'],
    ['+++\ntitle = "x"\n[params]\n+++\nrest', 'rest'],
    ['---\ntitle: x\n...\nrest', 'rest'],
    ['---\ntitle: x\n---', ''],
  ])('ends in %j', (text, rest) => {
    expect(text.slice(frontMatterAt(text)?.end)).toBe(rest);
  });

  it.each([
    ['---\naliases: [a, "b c"]\n---\n', ['a', 'b c']],
    ['---\naliases:\n  - a\n  - b: c\n---\n', ['a', 'b: c']],
    ['---\nalias: a\n---\n', ['a']],
    ['---\naliases: a, b c\n---\n', ['a, b c', 'a', 'b c']],
    ['---\naliases: ["a, b", \'c\', d]\n---\n', ['a, b', 'c', 'd']],
    ['---\naliases: [\n  a,\n  "b c",\n]\ntitle: x\n---\n', ['a', 'b c']],
    ['---\naliases: [\n  a,\n  "b c",\n]\n---\n', ['a', 'b c']],
    ['---\naliases:\n  [\n    a,\n  ]\n---\n', ['a']],
    ['---\naliases: # mine\n  - a # x\n---\n', ['a']],
    ['---\naliases: []\n---\n', []],
    ['---\ntitle: a\n---\n', []],
  ])('names the aliases of %j', (text, aliases) => {
    expect(aliasesIn(text)).toEqual(aliases);
  });
});
