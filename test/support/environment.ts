import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

/** Variables by which a user changes what the programs do, or where agents keep their files. */
const OF_THE_USER = /^(?:MEMPALACE|XDG|OPENCODE|CLAUDE|CODEX|COPILOT|GEMINI|QWEN|KIMI|PI|GIT|HF|OPENAI)_/;
/** Those of the tests themselves. */
const OF_THE_TESTS = /^(?:MEMPALACE_(?:TEST_FAULTS|LONG_TESTS)|OPENCODE_BIN|PI_COMMANDS|GIT_CONFIG_GLOBAL)$/;

const GIB = 2 ** 30;
/** What the tests of all workers may need in memory: models, copies of the toolkit, palaces. */
const ROOM_BYTES = 4 * GIB;

/**
 * What the tests set themselves: they inherit neither the HOME of the developer nor a toolkit on the PATH.
 *
 * @param parent of their temporary files; by default in memory, where there is room
 */
export function environment(parent = memory() ?? tmpdir()): Record<string, string> {
  // A short name: the path of a socket has at most 107 bytes.
  const folder = mkdtempSync(join(parent, 'mp-'));
  // Workers are ended without an event of their own.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // Some tests read as another user.
  chmodSync(folder, 0o711);
  const home = join(folder, 'home');
  mkdirSync(home);
  return {
    HOME: home,
    TMPDIR: folder,
    PATH: [
      emptyCrontab(join(folder, 'cron')),
      withoutToolkit(process.env.PATH ?? '', join(folder, 'bin')),
    ].join(delimiter),
    TZ: 'America/St_Johns',
    NO_COLOR: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
  };
}

/** Where files are in memory and programs may run: on a disk, a third of the time goes into commits and removals. */
function memory(): string | undefined {
  const folder = '/dev/shm';
  const mounts = existsSync('/proc/self/mounts') ? readFileSync('/proc/self/mounts', 'utf8').split('\n') : [];
  const options = mounts
    .map((line) => line.split(' '))
    .find(([, at]) => at === folder)?.[3]
    ?.split(',');
  if (process.env.TMPDIR !== undefined || options === undefined || options.includes('noexec'))
    return undefined;
  const { bavail, bsize } = statfsSync(folder);
  return Math.min(bavail * bsize, freemem() / 2) >= ROOM_BYTES ? folder : undefined;
}

/** Removes from the environment of this process what the developer's machine sets for the programs and for agents. */
export function forgetTheHost(): void {
  for (const name of Object.keys(process.env)) {
    if (OF_THE_USER.test(name) && !OF_THE_TESTS.test(name)) delete process.env[name];
  }
}

/** A folder with a `crontab` that has no entries, and takes none, unless it is told whose crontab is meant. */
function emptyCrontab(folder: string): string {
  mkdirSync(folder);
  const real = (process.env.PATH ?? '').split(delimiter).find((each) => existsSync(join(each, 'crontab')));
  if (real === undefined) return folder;
  const script = `#!/bin/sh
if [ "$1" = -u ]; then exec '${join(real, 'crontab')}' "$@"; fi
echo "no crontab for the tests" >&2
exit 1
`;
  writeFileSync(join(folder, 'crontab'), script, { mode: 0o755 });
  return folder;
}

/** The PATH without folders that contain an installed toolkit; `links` takes the place of the one that contains node, too. */
function withoutToolkit(path: string, links: string): string {
  const folders = path.split(delimiter);
  const others = folders.filter((folder) => !existsSync(join(folder, 'mempalace')));
  if (folders.every((folder) => others.includes(folder) || !existsSync(join(folder, 'node')))) {
    return others.join(delimiter);
  }
  mkdirSync(links);
  const here = dirname(process.execPath);
  for (const name of ['node', 'npm', 'npx'].filter((name) => existsSync(join(here, name)))) {
    symlinkSync(join(here, name), join(links, name));
  }
  return [links, ...others].join(delimiter);
}
