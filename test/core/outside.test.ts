import { expect, it } from 'vitest';
import { line } from '../../src/core/outside.js';

it.each([
  ['~/新しい\u3000フォルダ/会議\u3000メモ.md', '~/新しい\u3000フォルダ/会議\u3000メモ.md'],
  ['~/a\u00a0b/c  d.md', '~/a\u00a0b/c  d.md'],
  ['~/a\u2009b\u202fc.md', '~/a\u2009b\u202fc.md'],
  [' two \n\n  lines\tand\u2028three ', 'two lines and three'],
  ['a\u0085b\r\nc', 'a b c'],
  ['\u3000\u00a0', ''],
])('%j on one line: spaces stay, breaks do not', (text, shown) => {
  expect(line(text)).toBe(shown);
});
