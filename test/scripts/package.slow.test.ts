import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect, it } from 'vitest';

const CHECK = fileURLToPath(new URL('../../scripts/check-package.mjs', import.meta.url));

it('the package holds what its programs start from', async () => {
  const { stderr, exitCode } = await execa(process.execPath, [CHECK], { reject: false });
  expect(stderr).toBe('');
  expect(exitCode).toBe(0);
});
