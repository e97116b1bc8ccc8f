import { expect, it } from 'vitest';
import { splitNotes } from '../../../src/cli/reference/notes.js';

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
  expect(splitNotes(NOTES).others).toEqual([
    { kind: 'text', text: 'Two lines of one paragraph: still it.' },
    {
      kind: 'list',
      heading: 'What it does',
      items: [
        ['list', 'everything'],
        ['pull <id>', 'bring it here'],
        ['alone', ''],
      ],
    },
  ]);
  expect(splitNotes('')).toEqual({ examples: [], others: [] });
});

it('finds the examples', () => {
  const { examples, others } = splitNotes(NOTES);
  expect(examples).toEqual([
    ['mempalace list', 'all'],
    ['mempalace show', ''],
  ]);
  expect(others).toHaveLength(2);
});
