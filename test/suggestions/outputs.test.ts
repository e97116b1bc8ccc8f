import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { declaredTypeOf } from '../../src/core/source-type.js';
import { OUTPUTS } from '../../src/core/suggestions.js';
import { type Draft, draftOf } from '../../src/suggestions/outputs.js';

const draft = (changes: Partial<Draft> = {}) =>
  draftOf({
    output: 'principle-card',
    title: 'Round once',
    day: '2026-01-02',
    drawerId: 'drawer_a',
    passage: 'Money is rounded\n\nonce.\n',
    uses: 'found 5, opened 0, on 2 days',
    ...changes,
  });

describe('a draft', () => {
  it.each(OUTPUTS)('of a %s declares its type and has sections of its own', (output) => {
    const text = draft({ output });
    expect(declaredTypeOf('a.md', text)).toBe(output);
    expect(text.match(/^## .+$/gm)).toHaveLength(4);
    expect(text).toMatch(/\n## Evidence\n\n> Money is rounded\n>\n> once\.\n$/);
  });

  it('has valid front matter, whatever the title', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1 }).filter((title) => !/[\n\r\u0085\u2028\u2029]/.test(title)),
        (title) => {
          const [, front = ''] = draft({ title }).split(/^---$/m);
          expect(parse(front)).toMatchObject({ title, type: 'principle-card', source: 'drawer_a' });
        },
      ),
    );
  });
});
