import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { describe, expect, vi } from 'vitest';
import { lockHolder, takeLock } from '../../src/platform/lock.js';
import { it } from '../support/it.js';
import { temporaryFolder } from '../support/palace.js';

const file = () => join(temporaryFolder(), 'deep', 'run.lock');

describe('a lock', () => {
  it('has one holder, and is free after release', async () => {
    const path = file();
    const first = await takeLock(path, 'first', 0);
    await expect(takeLock(path, 'second', 150)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringContaining(`first (process ${process.pid}`),
    });
    first.release();
    first.release();
    (await takeLock(path, 'third', 0)).release();
    expect(existsSync(`${path}.holder`)).toBe(false);
  });

  it('names its holder without being taken, and no holder after a kill', async () => {
    const path = file();
    expect(lockHolder(path)).toBeUndefined();
    expect(existsSync(join(path, '..'))).toBe(false);
    const lock = await takeLock(path, 'first', 0);
    expect(lockHolder(path)).toMatchObject({ command: 'first', pid: process.pid });
    lock.release();
    expect(lockHolder(path)).toBeUndefined();
    writeFileSync(`${path}.holder`, JSON.stringify({ command: 'killed', pid: 1, since: 'then' }));
    expect(lockHolder(path)).toBeUndefined();
    (await takeLock(path, 'second', 0)).release();
  });

  it('can be waited for', async () => {
    const path = file();
    const first = await takeLock(path, 'first', 0);
    setTimeout(() => first.release(), 200);
    const second = await takeLock(path, 'second', 10_000);
    second.release();
  });

  it('is not waited for longer when the clock is set back', async () => {
    const path = file();
    const first = await takeLock(path, 'first', 0);
    const waiting = takeLock(path, 'second', 300);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(0);
    await expect(waiting).rejects.toMatchObject({ code: 'locked' });
    clock.mockRestore();
    first.release();
  });

  it('stops waiting when the signal aborts', async () => {
    const path = file();
    const first = await takeLock(path, 'first', 0);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    await expect(takeLock(path, 'second', 60_000, controller.signal)).rejects.toMatchObject({
      name: 'AbortError',
    });
    first.release();
  });

  it('is freed by the kernel when its holder is killed', async () => {
    const path = file();
    mkdirSync(join(path, '..'), { recursive: true });
    const holder = execa(
      process.execPath,
      [
        '-e',
        `const D=require('better-sqlite3');const d=new D(${JSON.stringify(path)});d.exec('BEGIN EXCLUSIVE');console.log('held');setInterval(()=>{},1000)`,
      ],
      { reject: false },
    );
    await new Promise((resolve) => holder.stdout.once('data', resolve));
    await expect(takeLock(path, 'other', 0)).rejects.toMatchObject({ code: 'locked' });
    holder.kill('SIGKILL');
    await holder;
    (await takeLock(path, 'other', 5_000)).release();
  });

  it('is private', async () => {
    const path = file();
    const umask = process.umask(0);
    const lock = await takeLock(path, 'first', 0);
    process.umask(umask);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(`${path}.holder`).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
    lock.release();
  });

  it('that cannot be created or written gives the reason', async ({ folder }) => {
    writeFileSync(join(folder, 'file'), 'x');
    mkdirSync(join(folder, 'holder', 'run.lock.holder'), { recursive: true });
    mkdirSync(join(folder, 'other'));
    writeFileSync(join(folder, 'other', 'run.lock'), 'this is no database, whatever it is. '.repeat(40));
    for (const [path, reason] of [
      ['file/run.lock', /ENOTDIR|EEXIST/],
      ['holder/run.lock', /EISDIR/],
      ['other/run.lock', /not a database/],
    ] as const) {
      await expect(takeLock(join(folder, path), 'first', 0)).rejects.toMatchObject({
        name: 'UserError',
        code: 'failed',
        message: expect.stringMatching(reason),
      });
    }
    // The lock is released if its holder cannot be written.
    rmSync(join(folder, 'holder', 'run.lock.holder'), { recursive: true });
    (await takeLock(join(folder, 'holder/run.lock'), 'second', 0)).release();
  });
});
