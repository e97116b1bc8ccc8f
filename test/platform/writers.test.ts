import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LockedElsewhere } from '../../src/core/errors.js';
import { RUN_LOCK, takeLock } from '../../src/platform/lock.js';
import { pause } from '../../src/platform/pause.js';
import { foreignEntries, kernelOf, namesIn, recordOf } from '../../src/platform/writer-files.js';
import { claimPalace, claimPalaceNow } from '../../src/platform/writers.js';
import { it } from '../support/it.js';
import { temporaryFolder } from '../support/palace.js';

const FAR = '0123456789abcdef.x-7-1';
const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400];
const since = '2026-03-04T05:06:07.000Z';

/** The file of a writer, changed so many seconds ago. */
function left(folder: string, name: string, record: object, ageS = 0): string {
  const file = join(folder, 'writers', name);
  mkdirSync(join(folder, 'writers'), { recursive: true });
  writeFileSync(file, JSON.stringify({ program: 'the broker', since, ...record }));
  const then = Date.now() / 1000 - ageS;
  utimesSync(file, then, then);
  return file;
}

const ownName = (folder: string, pid: number) => `${kernelOf(folder)}-${pid}-1`;

it('a palace is not written beside a writer of another kernel, whom the error names', async ({ folder }) => {
  left(folder, FAR, { host: 'far', pid: 7, beats: 3 });
  const refused = await claimPalace(folder, { program: 'a test' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(LockedElsewhere);
  expect(refused).toMatchObject({
    message: `the palace is in a shared folder, and the broker on far (process 7, since ${since}) writes it`,
    hint: expect.stringContaining('MEMPALACE_BROKER=ssh://far'),
  });
  expect(namesIn(folder)).toEqual([FAR]);
});

it('what this machine left before it was started again is in nobody’s way', ({ folder }) => {
  const file = left(folder, FAR, { host: hostname(), pid: 7, beats: 3 }, Date.now() / 1000 - DAY_S);
  expect(foreignEntries(folder)).toEqual([]);
  claimPalaceNow(folder).release();
  expect(existsSync(file)).toBe(false);
  left(folder, FAR, { host: 'far', pid: 7, beats: 3 }, Date.now() / 1000 - DAY_S);
  expect(foreignEntries(folder)).toEqual([FAR]);
});

it('a program of this kernel may stand still for hours; the file of a killed one is removed', () => {
  const dead = spawnSync('true').pid;
  const cases = [
    ['a suspended program', process.pid, hostname(), HOUR_S, true],
    ['a killed one', dead, hostname(), MINUTE_S, false],
    ['one that begins', dead, hostname(), 0, true],
    ['one in a suspended container', dead, 'box', HOUR_S, true],
    ['one in a killed container', dead, 'box', 2 * DAY_S, false],
  ] as const;
  for (const [what, pid, host, ageS, stays] of cases) {
    const folder = temporaryFolder();
    const file = left(folder, ownName(folder, pid), { host, pid, beats: 3 }, ageS);
    claimPalaceNow(folder).release();
    expect(existsSync(file), what).toBe(stays);
  }
});

it('who stood still while another kernel took the palace writes no more', ({ folder }) => {
  const claim = claimPalaceNow(folder);
  claim.check();
  for (const name of namesIn(folder)) rmSync(join(folder, 'writers', name));
  expect(() => claim.check()).toThrow('the palace was replaced while it was open');
  left(folder, FAR, { host: 'far', pid: 7, beats: 3 });
  expect(() => claim.check()).toThrow('the broker on far');
  expect(claim.isHeld()).toBe(false);
  claim.release();
});

it('who writes alone refuses the others of its kernel, as long as it lives', async ({ folder }) => {
  const writer = claimPalaceNow(folder);
  const lock = await takeLock(join(folder, RUN_LOCK), 'mempalace restore', 0);
  const alone = await claimPalace(folder, { program: 'mempalace restore', alone: true });
  alone.check();
  expect(() => writer.check()).toThrow('mempalace restore is replacing the palace');
  lock.release();
  writer.check();
  alone.release();
  writer.release();
  expect(namesIn(folder)).toEqual([]);
});

it('a program that computes without a pause shows that it lives', async ({ folder }) => {
  const claim = await claimPalace(folder, { program: 'mempalace reembed', steady: true });
  const beats = () => namesIn(folder).map((name) => recordOf(folder, name).beats)[0] ?? 0;
  // This thread does nothing else, so that no timer of it runs.
  for (let n = 0; n < 300 && beats() === 0; n += 1) pause(100);
  expect(beats()).toBeGreaterThan(0);
  claim.release();
});
