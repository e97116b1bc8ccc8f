import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { expect } from 'vitest';
import { exitsOf } from '../../src/cli/app/exit.js';
import type { run } from '../../src/cli/start.js';
import { temporaryFolder } from './palace.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The folder of big fixtures next to a checkout, if there is one. */
export const SHARED = join(dirname(ROOT.replace(/\/$/, '')), 'shared');
export const hasShared = existsSync(join(SHARED, 'fixtures', 'opencode'));

export interface Outcome {
  stdout: string;
  stderr: string;
  exitCode: number | undefined;
}

type Program = Parameters<typeof run>[0];

/** The built program as node loads it: vitest does not compile dist/. */
const start: { run: typeof run } = await import(/* @vite-ignore */ join(ROOT, 'dist/cli/start.cjs'));

interface Page {
  path: string;
  commands: Page[];
}
const PAGES: Page[] = JSON.parse(readFileSync(join(ROOT, 'dist/commands.json'), 'utf8'));

/** The exit codes that the help page of a command names. */
function exitsOn(program: string, args: readonly string[]): number[] {
  let page = PAGES.find(({ path }) => path === program);
  for (const word of args) page = page?.commands.find(({ path }) => path.endsWith(` ${word}`)) ?? page;
  return exitsOf(page?.path ?? program).flatMap(([code]) => (code === '130' ? [130, 143] : Number(code)));
}

/** The output, without the last line break. */
class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  get text(): string {
    return Buffer.concat(this.#chunks).toString('utf8').replace(/\n$/, '');
  }
}

/** A separate machine for the built programs: an empty HOME, and nothing of this environment. */
export class TestEnv {
  readonly home: string;
  readonly env: Record<string, string>;

  /** @param parent the parent of HOME; by default a folder that is removed after the test */
  constructor(parent = temporaryFolder()) {
    this.home = join(parent, 'home');
    mkdirSync(this.home, { recursive: true });
    this.env = {
      HOME: this.home,
      PATH: process.env.PATH ?? '',
      TZ: 'America/St_Johns',
      LANG: 'C.UTF-8',
      MEMPALACE_BROKER: 'off',
      MEMPALACE_USES: 'off',
    };
  }

  get cache(): string {
    return join(this.home, '.cache');
  }

  get palace(): string {
    return join(this.home, '.mempalace', 'palace');
  }

  /** Writes files below HOME; returns the folder `name`. */
  project(name: string, files: Record<string, string | Uint8Array>): string {
    const folder = join(this.home, name);
    mkdirSync(folder, { recursive: true });
    for (const [path, content] of Object.entries(files)) {
      const file = join(folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
    return folder;
  }

  /** Rewrites a file, with a different mtime. */
  edit(path: string, content: string): void {
    writeFileSync(path, content);
    const later = new Date(Date.now() + 5_000);
    utimesSync(path, later, later);
  }

  /** Arguments of node to run a program. */
  argv(program: string): string[] {
    return [join(ROOT, 'bin', program)];
  }

  /** Runs a program in this process; its streams are not terminals, and stdin is empty. */
  async run(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<Outcome> {
    const [stdout, stderr] = [new Collected(), new Collected()];
    const io = { stdin: Readable.from([]), stdout, stderr, env: { ...this.env, ...env } };
    const exitCode = await start.run(program as Program, args, io);
    expect(exitsOn(program, args), [program, ...args].join(' ')).toContain(exitCode);
    return { stdout: stdout.text, stderr: stderr.text, exitCode };
  }

  /** Runs a program in its own process, for tests that depend on it. */
  async spawn(
    program: string,
    args: readonly string[],
    env: Record<string, string> = {},
    cwd?: string,
  ): Promise<Outcome> {
    const { stdout, stderr, exitCode } = await this.start(program, args, 'ignore', env, cwd);
    return { stdout, stderr, exitCode };
  }

  /** Starts a program without waiting for it. */
  start(
    program: string,
    args: readonly string[],
    stdin: 'ignore' | 'pipe' = 'ignore',
    env: Record<string, string> = {},
    cwd?: string,
  ) {
    return execa(process.execPath, [join(ROOT, 'bin', program), ...args], {
      env: { ...this.env, ...env },
      extendEnv: false,
      reject: false,
      stdin,
      ...(cwd === undefined ? {} : { cwd }),
    });
  }

  /** Runs with --json and returns the document; fails the test on an unexpected exit code. */
  async json(program: string, args: readonly string[], exitCode = 0): Promise<Record<string, unknown>> {
    return documentOf(program, args, exitCode, await this.run(program, [...args, '--json']));
  }

  /** `json`, in a separate process. */
  async spawnJson(program: string, args: readonly string[], exitCode = 0): Promise<Record<string, unknown>> {
    return documentOf(program, args, exitCode, await this.spawn(program, [...args, '--json']));
  }

  /** Names, kinds, modes, mtimes and contents of everything below HOME, except SQLite's -wal and -shm files. */
  fingerprint(): string {
    const hash = createHash('sha256');
    const walk = (folder: string) => {
      for (const name of readdirSync(folder).sort()) {
        if (/-(?:shm|wal)$/.test(name)) continue;
        const path = join(folder, name);
        const stat = lstatSync(path);
        hash.update(`${path}\0${stat.mode}\0${stat.isDirectory() ? '' : stat.mtimeMs}\0`);
        if (stat.isDirectory()) walk(path);
        else if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
        else if (stat.isFile()) hash.update(readFileSync(path));
      }
    };
    walk(this.home);
    return hash.digest('hex');
  }
}

function documentOf(program: string, args: readonly string[], wanted: number, outcome: Outcome) {
  if (outcome.exitCode !== wanted)
    throw new Error(
      `${program} ${args.join(' ')}: exit ${outcome.exitCode}\n${outcome.stdout}\n${outcome.stderr}`,
    );
  return JSON.parse(outcome.stdout) as Record<string, unknown>;
}
