import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { transcriptLines, wholeLines } from '../../src/reading/index.js';
import { filingOf, hashOf, temporaryPalace, vectorOf } from '../support/palace.js';

const TEXT = `[session: Proxy | /work | 2026-02-01]

User:
Which port?
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

/** The text in pieces of any size, as the palace may keep it. */
function pieces(text: string, size: number): Buffer[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / size) }, (_, i) =>
    Buffer.from(characters.slice(i * size, (i + 1) * size).join('')),
  );
}

describe('a transcript to be read', () => {
  it('has its speakers as headings, with their dates', () => {
    const dates = [
      { charStart: 0, contentDate: '2026-02-01' },
      { charStart: TEXT.lastIndexOf('User:'), contentDate: '2026-02-03' },
    ];
    const rows = [...transcriptLines(pieces(TEXT, 7), dates)];
    expect(rows.filter((row) => row.kind === 'speaker')).toEqual([
      { kind: 'speaker', role: 'user', date: '2026-02-01' },
      { kind: 'speaker', role: 'assistant', date: '2026-02-01' },
      { kind: 'speaker', role: 'tool', date: '2026-02-01' },
      { kind: 'speaker', role: 'user', date: '2026-02-03' },
    ]);
    const words = rows.map((row) => (row.kind === 'text' ? row.text : `# ${row.role}`)).join('\n');
    expect(words).toContain('# user\nWhich port?\nAssistant: is a word here\n\n# assistant\nLet me look.');
    expect(words).toContain(
      '# tool\n[tool read] proxy.conf\noffset: 3\n\n[result]\nlisten 8443\n\n[tool bash] true',
    );
  });
});

describe('a document to be read', () => {
  it('is the same, in whatever pieces it is kept', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', '\n', '東', '🎉') }),
        fc.integer({ min: 1, max: 5 }),
        (text, size) => {
          const rows = [...wholeLines(pieces(text, size))];
          const joined = rows.map((row) => (row.kind === 'text' ? `${row.text}\n` : '')).join('');
          expect(joined).toBe(text === '' || text.endsWith('\n') ? text : `${text}\n`);
        },
      ),
    );
  });

  it('comes from one state of the palace, and leaves it free', () => {
    const palace = temporaryPalace();
    const run = {
      id: palace.runs.begin({ command: 't', scope: '', narrowed: false, versions: {}, startedMs: 1 }),
      now: '',
    };
    const file = (parts: string[]) => {
      palace.vectors.keep([{ hash: hashOf('x'), embedding: vectorOf('x') }], palace.model);
      const texts = parts.map((text) => ({ hash: hashOf(text), body: deflateRawSync(text) }));
      palace.file({ ...filingOf('doc:1/a', ['x']), pieces: texts }, run);
    };
    file(['one ', 'two ', 'three']);
    const id = palace.sources.byKey('doc:1/a')?.id ?? 0;
    expect(Buffer.concat([...palace.reading.textOf(id)]).toString()).toBe('one two three');
    for (const _ of palace.reading.textOf(id)) break;
    file(['four']);
    expect(Buffer.concat([...palace.reading.textOf(id)]).toString()).toBe('four');
  });
});
