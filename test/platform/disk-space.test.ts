import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { requireDiskSpace } from '../../src/platform/disk-space.js';

it('a write that does not fit is refused in advance, with the required space and a hint', () => {
  const folder = join(tmpdir(), 'not', 'made', 'yet');
  expect(() => requireDiskSpace(folder, 1, 'a letter', 'burn others')).not.toThrow();
  expect(() => requireDiskSpace(folder, 2 ** 60, 'a library', 'burn others')).toThrow(
    expect.objectContaining({
      code: 'failed',
      message: expect.stringMatching(/^a library needs \d+ MB in .*yet, where \d+ MB are free$/),
      hint: 'burn others',
    }),
  );
});
