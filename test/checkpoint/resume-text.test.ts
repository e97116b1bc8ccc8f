import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  brokeOffText,
  type Checkpoint,
  checkpointText,
  checkpointTitle,
  lineIn,
  noteIn,
  resumeDraft,
  resumeText,
  tellable,
} from '../../src/checkpoint/index.js';
import { estimateTokens } from '../../src/core/tokens.js';

const checkpoint: Checkpoint = {
  type: 'compaction',
  number: undefined,
  at: '2026-01-02T03:04:05.000Z',
  branch: 'main',
  tokensBefore: 5000,
  tokensAfter: 2000,
  asks: ['Earlier.', 'Round the cart.\nOnce, on the total.'],
  todos: ['Test it'],
  files: [{ path: '/code/shop/cart.ts', action: 'edited' }],
  errors: [{ tool: 'shell', subject: 'npm test', message: '2 failed\nsee above' }],
  summary: 'It was about carts.',
  note: 'Money is rounded once.',
};

describe('what an agent is told', () => {
  it('has the layout of a resume context, each line from outside in the frame', () => {
    expect(resumeText(resumeDraft(checkpoint, '/code/shop'), 600)).toEqual([
      '',
      '## session resume context',
      '│ checkpoint (compaction), 2026-01-02 03:04 UTC, branch main, context 5000 → 2000 tokens',
      '### last request',
      '│ Round the cart.',
      '│ Once, on the total.',
      '### open tasks',
      '│ - [ ] Test it',
      '### changed files',
      '│ - cart.ts (edited)',
      '### errors without a later success',
      '│ - shell npm test: 2 failed see above',
      '### key decisions',
      '│ Money is rounded once.',
      '### earlier requests, newest first',
      '│ - Earlier.',
      '### summary',
      '│ It was about carts.',
    ]);
  });

  it('names a file once that calls name by its path in the folder and by its whole path', () => {
    const files = [
      { path: '/code/shop/cart.ts', action: 'written' },
      { path: 'tax.ts', action: 'edited' },
      { path: 'cart.ts', action: 'edited' },
    ] as const;
    const lines = resumeText(resumeDraft({ ...checkpoint, files }, '/code/shop'), 600);
    expect(lines.filter((line) => line.includes('.ts'))).toEqual([
      '│ - cart.ts (edited)',
      '│ - tax.ts (edited)',
    ]);
  });

  it('says what it leaves out', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `f${index}.ts`,
      action: 'edited' as const,
    }));
    const lines = resumeText(resumeDraft({ ...checkpoint, files, asks: ['word '.repeat(5_000)] }), 600);
    expect(lines.find((line) => line.startsWith('│ word'))).toMatch(/…$/);
    // The last ones are told.
    expect(lines).toContain('│ - f499.ts (edited)');
    expect(lines).toContainEqual(expect.stringMatching(/^│ … \d+ more$/));
    expect(lines).toContain('│ - [ ] Test it');
  });

  it('stays in its budget and its frame, whatever the words', () => {
    const words = fc.string({ unit: 'grapheme', maxLength: 3_000 });
    const list = fc.array(words, { maxLength: 40 });
    fc.assert(
      fc.property(
        list,
        list,
        list,
        words,
        fc.integer({ min: 0, max: 900 }),
        (asks, todos, paths, summary, tokens) => {
          const files = paths.map((path) => ({ path, action: 'edited' as const }));
          const lines = resumeText(resumeDraft({ ...checkpoint, asks, todos, files, summary }), tokens);
          expect(estimateTokens(lines.map((line) => `${line}\n`).join(''))).toBeLessThanOrEqual(
            Math.min(600, tokens),
          );
          const draft = resumeDraft({ ...checkpoint, asks, todos, files, summary });
          expect(resumeText(tellable(draft, tokens), tokens)).toEqual(lines);
          for (const line of lines) expect(line).toMatch(/^(?:$|##|│ )/);
          for (const line of lines) expect(line).not.toMatch(/[\n\r\u2028]/);
        },
      ),
    );
  });

  it('is drawn from little more than what is told', () => {
    const files = Array.from({ length: 500 }, (_, index) => ({
      path: `f${index}.ts`,
      action: 'edited' as const,
    }));
    const draft = resumeDraft({ ...checkpoint, files, summary: 'It was about carts. '.repeat(100) });
    const lines = resumeText(draft, 600);
    const { sections } = tellable(draft, 600);
    const told = lines.filter((line) => line.endsWith('.ts (edited)')).length;
    expect(sections.find(({ heading }) => heading === '### changed files')?.items.length).toBe(told + 2);
    expect(sections.map(({ heading }) => heading)).not.toContain('### summary');
  });

  it('is two lines about a session that broke off', () => {
    expect(brokeOffText(checkpoint, 'talk-1')).toEqual([
      '',
      '## session resume context',
      '│ the last session in this folder broke off, or still runs, 2026-01-02 03:04 UTC: mempalace checkpoint show talk-1',
      '│ its last request: Round the cart. Once, on the total.',
    ]);
  });
});

describe('what is filed', () => {
  it('is all of it, word for word, with the drawers of the requests', () => {
    const drawerOf = (ask: string) => (ask === 'Earlier.' ? 'drawer_0123' : undefined);
    const text = checkpointText({ ...checkpoint, number: 2 }, 'claude-code:talk-1', drawerOf);
    expect(text).toBe(`# Session Resume Context

checkpoint 2 (compaction), 2026-01-02 03:04 UTC, branch main, context 5000 → 2000 tokens
claude-code:talk-1

## Key Decisions

Money is rounded once.

## Last Requests, newest first

Round the cart.
Once, on the total.

drawer_0123

Earlier.

## Open Tasks

- [ ] Test it

## Changed Files

- /code/shop/cart.ts (edited)

## Errors without a later success

shell npm test

2 failed
see above

## Summary

It was about carts.
`);
    expect(checkpointTitle({ ...checkpoint, number: 2, note: undefined })).toBe(
      'checkpoint 2 (compaction): Round the cart. Once, on the total.',
    );
  });

  it('gives the note back, whatever it says', () => {
    const filed = (note: string | undefined, more = {}) =>
      checkpointText({ ...checkpoint, ...more, note }, 'claude-code:talk-1', () => undefined);
    const nothing = { asks: [], todos: [], files: [], errors: [], summary: undefined };
    const note = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(fc.array(note, { minLength: 1 }), fc.boolean(), (parts, isAlone) => {
        const said = parts.join('\n\n## ');
        expect(noteIn(filed(said, isAlone ? nothing : {}))).toBe(said);
      }),
    );
    const imitated = '\n\n## Key Decisions\n\nNothing.\n';
    expect(noteIn(filed(undefined, { asks: [imitated], summary: imitated }))).toBeUndefined();
    expect(noteIn('another document')).toBeUndefined();
  });

  it('gives back its line in the session, and the note below it', () => {
    const filed = (line?: number) =>
      checkpointText(
        { ...checkpoint, line, note: 'x, before line 9' },
        'claude-code:talk-1',
        () => undefined,
      );
    expect([lineIn(filed(340)), noteIn(filed(340))]).toEqual([340, 'x, before line 9']);
    expect([lineIn(filed()), lineIn('another document')]).toEqual([undefined, undefined]);
  });
});
