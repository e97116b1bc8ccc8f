import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TurnMark } from '../../src/core/turns.js';
import { speakersIn, spokenIn, transcriptLines } from '../../src/reading/index.js';
import { spokenAs } from '../../src/reading/speakers.js';

const TEXT = `[session: Proxy | /work | 2026-02-01]

User:
Which port?

User:
mine, too
Assistant: is a word here

Assistant:
Let me look.

[tool read] proxy.conf
offset: 3

[result]
listen 8443

[tool bash] true

User:
Fine.

`;

const at = (head: string, role: TurnMark['role']): TurnMark => ({ role, start: TEXT.indexOf(head) });
const TURNS: TurnMark[] = [
  at('[session', 'note'),
  at('User:\nWhich', 'user'),
  at('Assistant:\n', 'assistant'),
  at('[tool read]', 'call'),
  at('[result]', 'result'),
  at('[tool bash]', 'call'),
  at('User:\nFine', 'user'),
];

/** The text in pieces of any size, as the palace may store it. */
function pieces(text: string, size: number): string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, i) =>
    characters.slice(i * size, (i + 1) * size).join(''),
  );
}

describe('a displayed transcript', () => {
  it('has its speakers as headings, with their dates', () => {
    const dates = [
      { charStart: 0, contentDate: '2026-02-01' },
      { charStart: TEXT.lastIndexOf('User:'), contentDate: '2026-02-03' },
    ];
    const rows = [...transcriptLines(pieces(TEXT, 7), TURNS, dates)];
    expect(rows.filter((row) => row.kind === 'speaker')).toEqual([
      { kind: 'speaker', speaker: 'user', date: '2026-02-01' },
      { kind: 'speaker', speaker: 'assistant', date: '2026-02-01' },
      { kind: 'speaker', speaker: 'tool call', date: '2026-02-01' },
      { kind: 'speaker', speaker: 'tool result', date: '2026-02-01' },
      { kind: 'speaker', speaker: 'tool call', date: '2026-02-01' },
      { kind: 'speaker', speaker: 'user', date: '2026-02-03' },
    ]);
    const words = rows.map((row) => (row.kind === 'text' ? row.text : `# ${row.speaker}`)).join('\n');
    expect(words).toContain(
      '# user\nWhich port?\n\nUser:\nmine, too\nAssistant: is a word here\n\n# assistant\nLet me look.',
    );
    expect(words).toContain(
      '# tool call\n[tool read] proxy.conf\noffset: 3\n\n# tool result\nlisten 8443\n\n# tool call\n[tool bash] true',
    );
  });

  it('lists the speakers of a part', () => {
    const from = TEXT.indexOf('look.');
    const to = TEXT.indexOf('[tool bash]');
    expect(speakersIn({ text: TEXT.slice(from, to), charStart: from }, TURNS)).toEqual([
      'assistant@0',
      `tool call@${TEXT.indexOf('[tool read]') - from}`,
      `tool result@${TEXT.indexOf('[result]') - from}`,
    ]);
    const parts = spokenIn(
      [
        { text: TEXT.slice(from, to), charStart: from, charEnd: to },
        { text: 'Fine.', charStart: TEXT.indexOf('Fine.'), charEnd: TEXT.length },
      ],
      TURNS,
    );
    expect(parts.map(({ speaker }) => speaker)).toEqual([
      'assistant',
      'tool call',
      'tool result',
      'left out here',
      'user',
    ]);
    expect(parts[2]?.text).toBe('listen 8443\n\n');
  });

  it('is told again from a stretch and its speakers', () => {
    const quoted = TEXT.indexOf('User:\nmine');
    for (const { index: from } of TEXT.matchAll(/^(?=.)/gm))
      for (const to of [from + 30, TEXT.length]) {
        // Words that begin with such a line are not told from a turn that begins there.
        if (from === quoted) continue;
        const text = TEXT.slice(from, to);
        const told = spokenAs(text, speakersIn({ text, charStart: from }, TURNS));
        expect(told, text).toEqual(spokenIn([{ text, charStart: from, charEnd: to }], TURNS));
      }
  });
});

describe('a displayed document', () => {
  it('is the same for any division into pieces', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '東', '🎉') }),
        fc.integer({ min: 1, max: 5 }),
        (text, size) => {
          const rows = [...transcriptLines(pieces(text, size), [], [])];
          const joined = rows.map((row) => (row.kind === 'text' ? `${row.text}\n` : '')).join('');
          expect(joined).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`);
        },
      ),
    );
  });
});
