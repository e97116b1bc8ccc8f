import fc from 'fast-check';
import { expect, it } from 'vitest';
import { foldName, safeName } from '../../../src/maintenance/transfer/export-tree.js';

it.each([
  ['docs', 'docs'],
  ['../../etc/passwd', '__.._etc_passwd'],
  ['..', '_'],
  ['', '_'],
  ['  . .', '_'],
  ['a/b\\c:d*e?f"g<h>i|j', 'a_b_c_d_e_f_g_h_i_j'],
  ['CON', '_CON'],
  ['aux.md', '_aux.md'],
  ['com1', '_com1'],
  ['console', 'console'],
  ['ends in dots...', 'ends in dots'],
  ['.hidden', '_hidden'],
  ['line\nbreak\u202eevil', 'line_break_evil'],
  ['日本語', '日本語'],
])('%j becomes %j', (text, name) => expect(safeName(text)).toBe(name));

it('is one name of bounded length, and is unchanged by a second call', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
      const name = safeName(text);
      expect(name).not.toMatch(/[/\\\0]|^\.|[. ]$|^$/);
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(151);
      expect(safeName(name)).toBe(name);
    }),
  );
});

it('names that are equal in some file system become equal', () => {
  expect(foldName('Réunion')).toBe(foldName('re\u0301union'.toUpperCase()));
  expect(foldName('a')).not.toBe(foldName('b'));
});
