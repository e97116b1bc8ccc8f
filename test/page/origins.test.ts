import { describe, expect, it } from 'vitest';
import { type Entry, linesOf } from '../../page/origins.js';

const entry = (drawer_id: string): Entry => ({
  kind: 'session',
  drawer_id,
  source_key: 'opencode:ses_1',
  session_id: 'ses_1',
  wing: 'wing_shop',
  room: 'general',
  title: 'Login',
  directory: null,
  date: '2026-03-01',
  priority: null,
  pinned: false,
  score: 1,
  text: 'Why?',
  cut: false,
});

const TEXT = `memory (quoted)

## pinned and important
│ - 2026-03-01 wing_shop/general Rounding drawer_aaaaaaaaaaaa pinned high
│   Money is rounded once.
│   Not at each line.

## recent sessions
│ wing_shop/general
│ - 2026-03-01 a drawer_cccccccccccc in a title drawer_bbbbbbbbbbbb
│   asked: Why?
│ - 2026-03-01 forgotten since drawer_dddddddddddd
│   asked: What?

## in this palace
│ 3 drawers from 1 source
`;

describe('the lines of a wake-up', () => {
  it('have the memory that they are from', () => {
    const told = {
      notice: 'quoted' as never,
      wing: null,
      budget: 900,
      tokens: 100,
      text: TEXT,
      identity: null,
      important: [entry(`drawer_${'a'.repeat(24)}`)],
      errors: [],
      diary: [],
      sessions: [entry(`drawer_${'b'.repeat(24)}`)],
      holdings: [],
      elsewhere: null,
    };
    const lines = linesOf(told);
    expect(lines.map(({ text }) => `${text}\n`).join('')).toBe(TEXT);
    const from = lines.map(({ entry, isHead }) => (entry?.drawer_id[7] ?? '.') + (isHead ? '!' : ''));
    expect(from.join(' ')).toBe('. . . a! a a . . . b! b . . . . .');
  });
});
