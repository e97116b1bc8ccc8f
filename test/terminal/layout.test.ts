import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinWrapped, layOut } from '../../src/terminal/layout.js';
import { displayWidth } from '../../src/terminal/width.js';

const rows = (text: string, width?: number) =>
  layOut(text, width).map(({ start, end, indent }) => ' '.repeat(indent) + text.slice(start, end));

describe('rows', () => {
  it('break between words, and are indented below a list item', () => {
    expect(rows('one two three four', 9)).toEqual(['one two', 'three', 'four']);
    expect(rows('- one two three four', 11)).toEqual(['- one two', '  three', '  four']);
    expect(rows('12. one two three', 12)).toEqual(['12. one two', '    three']);
  });

  it('break between characters of scripts without spaces, and inside a word that is too long', () => {
    expect(rows('東京都庁舎', 4)).toEqual(['東京', '都庁', '舎']);
    expect(rows('aaaaaaaa bb', 5)).toEqual(['aaaaa', 'aaa', 'bb']);
    expect(rows('  -     word', 6)).toEqual(['  -', '  word']);
  });

  it('cut code only at the edge of the screen', () => {
    expect(rows('```\nlet a  =  1; b\n```', 8)).toEqual(['```', 'let a  =', '  1; b', '```']);
    expect(rows('```\n| a | word |\n```', 8)).toEqual(['```', '| a | wo', 'rd |', '```']);
    expect(rows('    one two', 8)).toEqual(['    one ', 'two']);
    expect(rows('See:\n\n    - one two', 10)).toEqual(['See:', '', '    - one ', 'two']);
  });

  it('of tables and of items below items break between words, too', () => {
    expect(rows('| a | bb | c |', 8)).toEqual(['| a | bb', '| c |']);
    expect(rows('| port | 8443 of the gateway |', 12)).toEqual(['| port |', '8443 of the', 'gateway |']);
    expect(rows('|----------|---|', 8)).toEqual(['|-------', '---|---|']);
    expect(rows('+ one two three', 11)).toEqual(['+ one two', '  three']);
    expect(rows('- a\n\n    - one two three', 15)).toEqual(['- a', '', '    - one two', '     three']);
  });

  it('are the original lines without a width', () => {
    expect(rows(`${'word '.repeat(50)}\nnext`)).toEqual(['word '.repeat(50), 'next']);
  });

  it('never exceed the width, and lose only white space', () => {
    const text = fc.array(
      fc.constantFrom('word', ' ', '  ', '\n', '東京', '🎉', '- ', '```\n', '| a |', 'x'.repeat(30)),
    );
    fc.assert(
      fc.property(text, fc.integer({ min: 6, max: 40 }), (parts, width) => {
        const whole = parts.join('');
        const shown = rows(whole, width);
        for (const row of shown) expect(displayWidth(row)).toBeLessThanOrEqual(width);
        expect(shown.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
      }),
    );
  });
});

describe('manually wrapped prose', () => {
  const long = 'This line was wrapped by whoever wrote it, as people do,';

  it('is joined', () => {
    expect(joinWrapped(`${long}\nand goes on here.\n\nNext.`)).toBe(`${long} and goes on here.\n\nNext.`);
    expect(joinWrapped(`- ${long}\n  and goes on here.`)).toBe(`- ${long} and goes on here.`);
  });

  it.each([
    ['a list', `${long}\n- item\n- item`],
    ['a heading', `${long}\n## Heading`],
    ['code', `\`\`\`\n${long}\n${long}\n\`\`\``],
    ['indented code', `    ${long}\n    ${long}`],
    ['a table', `| ${long} | a |\n| ${long} | b |`],
    ['a quotation', `${long}\n> said`],
    ['a hard break', `${long}  \nnext`],
    ['short lines', 'one\ntwo\nthree'],
  ])('is distinguished from %s', (_, text) => {
    expect(joinWrapped(text)).toBe(text);
  });
});
