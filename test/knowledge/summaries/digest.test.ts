import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/core/tokens.js';
import { resultHead, type TurnMark, type TurnRole } from '../../../src/core/turns.js';
import { digestOf } from '../../../src/knowledge/summaries/index.js';

const HEADS: Record<TurnRole, string> = {
  user: 'User:\n',
  assistant: 'Assistant:\n',
  call: '[tool Bash] ',
  result: resultHead(false),
  note: '',
};

/** A filed transcript of these turns. */
function transcript(turns: readonly [TurnRole, string][]): { text: string; marks: TurnMark[] } {
  let text = '';
  const marks = turns.map(([role, words]) => {
    const start = text.length;
    text += `${HEADS[role]}${words}\n\n`;
    return { role, start };
  });
  return { text, marks };
}

const digest = (turns: readonly [TurnRole, string][], tokens: number): string => {
  const { text, marks } = transcript(turns);
  return digestOf(text, marks, tokens);
};

describe('the digest of a session', () => {
  it('is all that was said of a short one, with the calls and without their results', () => {
    const text = digest(
      [
        ['note', '[session: Rounding | 2026-03-04]'],
        ['user', 'Round the cart.'],
        ['call', 'npm test\nwith more lines'],
        ['result', 'ok '.repeat(50)],
        ['assistant', 'Done.'],
      ],
      500,
    );
    expect(text).toBe(
      '[session: Rounding | 2026-03-04]\n\nUser:\nRound the cart.\n\n[tool Bash] npm test\n\nAssistant:\nDone.',
    );
  });

  it('keeps the first words, the last ones, and every request between that has room', () => {
    const middle = Array.from({ length: 200 }, (_, at): [TurnRole, string][] => [
      ['user', `request ${at}`],
      ['assistant', `${'words of an answer '.repeat(30)}${at}`],
    ]).flat();
    const text = digest([['user', 'the first request'], ...middle, ['assistant', 'the last answer']], 2_000);
    expect(text).toContain('the first request');
    expect(text).toContain('the last answer');
    expect(text).toContain('\n\n…\n\n');
    const requests = text.match(/request \d+/g)?.length ?? 0;
    const answers = text.match(/words of an answer \d+/g)?.length ?? 0;
    expect(requests).toBeGreaterThan(2 * answers);
  });

  it('cuts the paragraphs of a session without known speakers', () => {
    const paragraphs = Array.from({ length: 400 }, (_, at) => `paragraph ${at} of a session`);
    const text = digestOf(paragraphs.join('\n\n'), undefined, 300);
    expect(text).toContain('paragraph 0 of');
    expect(text).toContain('paragraph 399 of');
    expect(estimateTokens(text)).toBeLessThanOrEqual(300);
  });

  it('is never longer than it may be, and in the order of the session', () => {
    const role = fc.constantFrom<TurnRole>('user', 'assistant', 'call', 'result', 'note');
    const words = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.lorem({ maxCount: 60 }),
      fc.constant('数据库迁移'.repeat(90)),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(role, words), { maxLength: 60 }),
        fc.integer({ min: 1, max: 800 }),
        (turns, tokens) => {
          const numbered = turns.map(([who, said], at): [TurnRole, string] => [who, `#${at}# ${said}`]);
          const text = digest(numbered, tokens);
          expect(estimateTokens(text)).toBeLessThanOrEqual(tokens);
          const order = [...text.matchAll(/^(?:\[tool Bash\] )?#(\d+)# /gm)].map(([, at]) => Number(at));
          expect(order).toEqual([...order].sort((a, b) => a - b));
        },
      ),
    );
  });
});
