import { expect, it } from 'vitest';
import { parseNotes, splitExamples } from '../../../src/cli/reference/notes.js';

const NOTES = `Two lines
of one paragraph: still it.

What it does:
  list         everything
  pull <id>    bring it
               here
  alone

Examples:
  mempalace list   all
  mempalace show`;

it('parses help texts', () => {
  expect(parseNotes(NOTES).slice(0, 2)).toEqual([
    { kind: 'text', text: 'Two lines of one paragraph: still it.' },
    {
      kind: 'list',
      heading: 'What it does',
      items: [
        { term: 'list', about: 'everything' },
        { term: 'pull <id>', about: 'bring it here' },
        { term: 'alone', about: '' },
      ],
    },
  ]);
  expect(parseNotes('')).toEqual([]);
});

it('finds the examples', () => {
  const { examples, others } = splitExamples(NOTES);
  expect(examples).toEqual([
    { term: 'mempalace list', about: 'all' },
    { term: 'mempalace show', about: '' },
  ]);
  expect(others).toHaveLength(2);
});
