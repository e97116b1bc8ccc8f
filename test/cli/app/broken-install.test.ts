import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { brokenInstall } from '../../../src/cli/app/broken-install.js';
import { UserError } from '../../../src/core/errors.js';

const coded = (code: string, message: string) => Object.assign(new Error(message), { code });

describe('an incomplete installation is not a bug', () => {
  it.each([
    [
      coded(
        'ERR_DLOPEN_FAILED',
        'The module x was compiled\nagainst NODE_MODULE_VERSION 115. This needs 127',
      ),
      `a native module was built for another Node than this ${process.version} (${process.execPath})`,
    ],
    [
      coded('ERR_DLOPEN_FAILED', '/x/y.node: file too short'),
      'a native module does not load: /x/y.node: file too short',
    ],
    [
      coded('ERR_MODULE_NOT_FOUND', "Cannot find package 'zod'"),
      "a package is missing: Cannot find package 'zod'",
    ],
    [
      new Error('Could not locate the bindings file. Tried:\n → a\n → b'),
      'a native module is missing: Could not locate the bindings file',
    ],
    [
      new Error('Loadble extension for sqlite-vec not found. Was it installed?'),
      'a native module is missing: Loadble extension for sqlite-vec not found. Was it installed?',
    ],
  ])('%s', (error, message) => {
    expect(brokenInstall(error)).toMatchObject({ code: 'failed', message });
    const wrapped = new UserError('unreadable', 'the database cannot be read', { cause: error });
    expect(brokenInstall(wrapped)?.message).toBe(message);
  });

  it('names the command that reinstalls it: install.sh in a checkout, npm elsewhere', () => {
    const checkout = fileURLToPath(new URL('../../../', import.meta.url));
    const missing = coded('MODULE_NOT_FOUND', 'x');
    expect(brokenInstall(missing)?.hint).toBe(`run ./install.sh in ${checkout.slice(0, -1)}`);
    expect(brokenInstall(missing, '/usr/lib/node_modules/x/')?.hint).toContain('npm i -g');
  });

  it.each([new Error('anything'), coded('ENOENT', 'no such file'), 'text', undefined])(
    'is not: %s',
    (error) => {
      expect(brokenInstall(error)).toBeUndefined();
    },
  );
});
