import { writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { mayRunElsewhere, refuseForeignBroker } from '../../../src/cli/app/foreign-broker.js';
import { takeLock } from '../../../src/platform/lock.js';
import { temporaryFolder } from '../../support/palace.js';

/** A palace's folder whose broker is on `host`. */
function palaceOf(host: string): string {
  const palace = temporaryFolder();
  const record = { v: 1, host, pid: 1, socket: '/run/x.sock', version: '1.0.0', build: 'b', builtMs: 0 };
  writeFileSync(join(palace, 'broker.json'), JSON.stringify(record));
  return palace;
}

it('a palace on a shared file system is not written beside the broker of another machine, of an earlier build', async () => {
  const shared = () => 'FUSE';
  await expect(refuseForeignBroker(palaceOf('elsewhere'), shared)).rejects.toMatchObject({
    code: 'locked',
    message: 'the palace is on a shared file system (FUSE), and the broker on elsewhere writes it',
    hint: expect.stringContaining('MEMPALACE_BROKER=ssh://elsewhere'),
  });
});

it('a local palace, one with its own broker and one without are written', async () => {
  const shared = () => 'FUSE';
  await refuseForeignBroker(palaceOf('elsewhere'), () => undefined);
  await refuseForeignBroker(palaceOf(hostname()), shared);
  await refuseForeignBroker(temporaryFolder(), shared);
});

it('on a local file system, the lock says whether the broker of a container runs', async () => {
  const palace = palaceOf('a-container');
  expect(await mayRunElsewhere(palace)).toBe(false);
  const lock = await takeLock(join(palace, 'broker.lock'), 'mempalace broker', 0);
  expect(await mayRunElsewhere(palace)).toBe(true);
  lock.release();
});
