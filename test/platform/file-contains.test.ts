import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileContains } from '../../src/platform/file-contains.js';
import { temporaryFolder } from '../support/palace.js';

it('finds a text wherever the pieces that are read are cut', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'åäö — the herons, and 円 at the end');
  for (let bytes = 1; bytes < 50; bytes += 1) {
    expect(fileContains(file, ['no such', 'herons'], bytes)).toBe(true);
    expect(fileContains(file, ['円'], bytes)).toBe(true);
    expect(fileContains(file, ['herons?', 'x'], bytes)).toBe(false);
  }
  writeFileSync(file, '');
  expect(fileContains(file, ['a'])).toBe(false);
  expect(() => fileContains(`${file}.none`, ['a'])).toThrow('ENOENT');
});
