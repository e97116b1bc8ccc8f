import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { knownError } from '../../../src/cli/app/failure.js';
import { openStaging } from '../../../src/feeders/staging/staging.js';
import { temporaryFolder } from '../../support/palace.js';

const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};

describe('an error of the machine is not a bug', () => {
  it.skipIf(process.platform !== 'linux')('a disk that is full', () => {
    const file = openSync('/dev/full', 'w');
    const error = thrownBy(() => writeSync(file, 'x'));
    closeSync(file);
    expect(knownError(error)).toMatchObject({ code: 'failed', hint: expect.stringContaining('free space') });
  });

  it('a folder that disappears during a command', async () => {
    expect(knownError(thrownBy(() => readdirSync(join(temporaryFolder(), 'gone'))))).toMatchObject({
      code: 'failed',
      hint: expect.stringContaining('run the command again'),
    });
    const cache = temporaryFolder();
    const prefix = 'mempalace-docs/wing_a/p';
    const staging = await openStaging({ cache, prefix, command: 'test', waitMs: 0 });
    await staging.write('a.md', 'text', 0);
    rmSync(cache, { recursive: true });
    const error = await staging.write('b.md', 'text', 0).catch((thrown: unknown) => thrown);
    expect(knownError(error)).toMatchObject({ code: 'failed' });
    mkdirSync(cache);
    staging.close();
  });

  it('but our own error is a bug', () => {
    expect(knownError(new TypeError('x is not a function'))).toBeUndefined();
  });
});
