import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Watcher } from '../../src/watch/watcher.js';
import { temporaryFolder } from '../support/palace.js';

const QUIET_MS = 100;

/** Watches folders, each with its path as the command; `filed` lists what was filed. */
async function watching(folders: readonly string[], { polling = false, exitCode = 0 } = {}) {
  const filed: string[] = [];
  const events: string[] = [];
  let running = 0;
  let most = 0;
  const watcher = new Watcher({
    watched: folders.map((folder) => ({
      name: folder,
      find: () => (existsSync(folder) ? { paths: [folder], polling } : undefined),
      command: ['file', folder],
      ignores: (name) => name.endsWith('.log'),
    })),
    quietMs: QUIET_MS,
    lookMs: 100,
    async file([, folder = '']) {
      running += 1;
      most = Math.max(most, running);
      await sleep(20);
      running -= 1;
      filed.push(folder);
      if (Number.isNaN(exitCode)) throw new Error('no memory');
      return exitCode;
    },
    onEvent: (text) => events.push(text),
  });
  onTestFinished(() => watcher.end());
  await watcher.begin();
  const until = async (count: number): Promise<void> => {
    for (let tries = 0; filed.length < count && tries < 400; tries += 1) await sleep(50);
  };
  return { watcher, filed, events, until, most: () => most };
}

const folder = (): string => {
  const path = join(temporaryFolder(), 'project');
  mkdirSync(path);
  return path;
};

describe('a watcher', () => {
  it('files a folder once after several changes, new folders included, and says so', async () => {
    const path = folder();
    const { watcher, filed, until } = await watching([path], { exitCode: 3 });
    expect(watcher.state).toEqual({ paths: [path], missing: [], last: undefined });
    for (const name of ['one.md', 'two.md']) writeFileSync(join(path, name), 'text');
    await until(1);
    expect(filed).toEqual([path]);
    expect(watcher.state.last).toMatchObject({ command: `file ${path}`, exitCode: 3 });
    mkdirSync(join(path, 'docs'));
    await until(2);
    const before = filed.length;
    writeFileSync(join(path, 'docs', 'three.md'), 'text');
    await until(before + 1);
    expect(filed.length).toBeGreaterThan(before);
  });

  it('does not file what has not changed, or for hidden files, packages and ignored names; one feeder runs at a time', async () => {
    const [still, one, two] = [folder(), folder(), folder()];
    for (const name of ['.git', 'node_modules']) mkdirSync(join(still, name));
    const { filed, until, most } = await watching([still, one, two]);
    for (const name of ['.git/HEAD', 'node_modules/a.md', '.hidden', 'app.log'])
      writeFileSync(join(still, name), 'text');
    for (const path of [one, two]) writeFileSync(join(path, 'a.md'), 'text');
    await until(2);
    expect([filed.sort(), most()]).toEqual([[one, two].sort(), 1]);
  });

  it('looks regularly where the file system reports nothing', async () => {
    const path = folder();
    const { filed, until } = await watching([path], { polling: true });
    let round = 0;
    // The watcher's first look may come after the first change.
    const changing = setInterval(() => writeFileSync(join(path, `${round++}.md`), 'text'), 1_000);
    onTestFinished(() => clearInterval(changing));
    await until(1);
    expect(filed[0]).toBe(path);
  });

  it('files nothing after its end', async () => {
    const path = folder();
    const { watcher, filed } = await watching([path]);
    writeFileSync(join(path, 'a.md'), 'text');
    await watcher.end();
    await sleep(3 * QUIET_MS);
    expect(filed).toEqual([]);
  });

  it('goes on after a feeder that could not be started', async () => {
    const path = folder();
    const { watcher, events, until } = await watching([path], { exitCode: Number.NaN });
    for (const round of [1, 2]) {
      writeFileSync(join(path, `${round}.md`), 'text');
      await until(round);
      await expect.poll(() => events.filter((text) => text.includes('no memory'))).toHaveLength(round);
    }
    expect(watcher.state.last).toMatchObject({ exitCode: null });
  });

  it('that ends while it begins watches nothing', async () => {
    const watches = () => process.getActiveResourcesInfo().filter((name) => name === 'FSEventWrap').length;
    const before = watches();
    const path = folder();
    const watcher = new Watcher({
      watched: [{ name: path, find: () => ({ paths: [path], polling: false }), command: [] }],
      quietMs: QUIET_MS,
      file: async () => 0,
      onEvent: () => {},
    });
    const begun = watcher.begin();
    await watcher.end();
    await Promise.race([begun, sleep(500)]);
    expect(watches()).toBe(before);
  });

  it.each([
    [
      'removed and made again',
      (path: string) => rmSync(path, { recursive: true }),
      (path: string) => mkdirSync(path),
    ],
    [
      'renamed away and back',
      (path: string) => renameSync(path, `${path}-away`),
      (path: string) => renameSync(`${path}-away`, path),
    ],
    [
      'removed with the folder above it',
      (path: string) => rmSync(join(path, '..'), { recursive: true }),
      (path: string) => mkdirSync(path, { recursive: true }),
    ],
  ])(
    'files a folder that was %s, and what changes in it then; says while it is missing',
    async (_, remove, make) => {
      const [path, other] = [folder(), folder()];
      const { watcher, filed, until } = await watching([path, other]);
      remove(path);
      await expect
        .poll(() => watcher.state, { timeout: 10_000 })
        .toMatchObject({ paths: [other], missing: [path] });
      await sleep(3 * QUIET_MS);
      expect(filed).toEqual([]);
      make(path);
      await expect.poll(() => watcher.state.missing, { timeout: 10_000 }).toEqual([]);
      await until(1);
      writeFileSync(join(path, 'a.md'), 'text');
      await until(2);
      expect(filed.slice(0, 2)).toEqual([path, path]);
    },
  );

  it('files a folder that was made again at once, between two looks', async () => {
    const path = folder();
    const { filed, until } = await watching([path]);
    rmSync(path, { recursive: true });
    mkdirSync(path);
    await until(1);
    await sleep(5 * QUIET_MS);
    const before = filed.length;
    writeFileSync(join(path, 'a.md'), 'text');
    await until(before + 1);
    expect(filed.length).toBeGreaterThan(before);
  });

  it('watches what is there later than the watcher', async () => {
    const path = join(temporaryFolder(), 'above', 'project');
    const { watcher, filed, until } = await watching([path]);
    expect(watcher.state).toEqual({ paths: [], missing: [path], last: undefined });
    mkdirSync(path, { recursive: true });
    await until(1);
    expect(filed[0]).toBe(path);
  });
});
