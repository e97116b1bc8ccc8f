import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isErrno, LockedElsewhere, UserError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { line } from '../core/outside.js';
import { inPackage } from './in-package.js';
import { BROKER_LOCK, lockHolder, RUN_LOCK } from './lock.js';
import { makeFolder } from './make-folder.js';
import { textOrEmpty } from './read-text.js';
import { BEAT_MS, beat } from './writer-beat.js';

/**
 * In the palace's folder: a file per program that writes the palace. Locks do not pass between two kernels that share a
 * folder (virtual machines, network drives), but files do. A program of another kernel does not write while one of these
 * files changes every few seconds.
 */
const WRITERS = 'writers';
/** `<kernel>-<process>-<number>`; `.alone`: no other program of this kernel may write either. */
const NAME = /^[0-9a-z]+\.[0-9a-z]+-\d+-[0-9a-z]+(?:\.alone)?$/;
/** `last-<kernel>`: the kernel that wrote last. */
const LAST = 'last-';

/** Without a change for this long, a writer is gone. Longer than any pause of a program that runs. */
const STALE_MS = 30_000;
/** A writer whose file looks old is watched this long, as the clocks of two machines differ. */
const WATCH_MS = 2 * BEAT_MS;
/** Time for two programs that begin at the same moment: one of them gives way. */
const YOUNG_MS = 3_000;
/** Longer than the usual time for which a shared folder answers from a cache (FUSE, virtiofs: one second). */
const HANDOVER_MS = 2_000;
const PAUSE_MS = 100;
const BEAT_FILE = 'dist/platform/writer-beat-thread.js';

export interface WriterRecord {
  host: string;
  pid: number;
  program: string;
  /** ISO 8601. */
  since: string;
}

interface ClaimOptions {
  /** For the message of those who wait. */
  program: string;
  /** Waits this long for a writer of another kernel, milliseconds. */
  waitMs?: number;
  /** Beats in a thread, for programs that compute for seconds without a pause. */
  steady?: boolean;
  /** Short writes of other programs are refused meanwhile. The caller has the run lock. */
  alone?: boolean;
}

/** The claims of this process, by folder. */
const held = new Map<string, Claim>();

/**
 * Says in the palace's folder that this program writes. Several claims of one process are one file.
 *
 * @param folder is made if it is missing
 * @throws LockedElsewhere naming the writer of another kernel; the file system's error; the signal's reason
 */
export async function claimPalace(
  folder: string,
  options: ClaimOptions & { signal?: AbortSignal | undefined },
): Promise<Claim> {
  const steps = claiming(folder, options);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    try {
      await sleep(step.value, undefined, { signal: options.signal });
    } catch (error) {
      steps.throw(error);
    }
  }
}

/** As `claimPalace`, without waiting for more than the time that a change of machines takes. */
export function claimPalaceNow(folder: string, program = 'mempalace'): Claim {
  const steps = claiming(folder, { program });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, step.value);
  }
}

/** Files of other kernels: of those that write, and of the one that wrote last. */
export function foreignEntries(folder: string): string[] {
  const entries = entriesIn(folder);
  if (entries.length === 0) return entries;
  const kernel = kernelOf(folder);
  return entries.filter((name) =>
    NAME.test(name) ? isForeign(folder, name, kernel) : name.startsWith(LAST) && name !== LAST + kernel,
  );
}

/** A writer of another kernel whose file has changed lately. */
export function foreignWriter(folder: string): WriterRecord | undefined {
  const kernel = kernelOf(folder);
  const isAlive = (name: string) => Date.now() - (changeOf(folder, name) ?? 0) < STALE_MS;
  const found = namesIn(folder).find((name) => isForeign(folder, name, kernel) && isAlive(name));
  return found === undefined ? undefined : recordOf(folder, found);
}

/** Yields milliseconds to wait before the next attempt. */
function* claiming(folder: string, options: ClaimOptions): Generator<number, Claim> {
  const { waitMs = 0, alone = false } = options;
  const shared = alone ? undefined : held.get(folder);
  if (shared?.isHeld() === true) return shared.join();
  const watched: Watched = new Map();
  const began = performance.now();
  for (;;) {
    const claim = Claim.announce(folder, options);
    try {
      const others = claim.others(watched);
      if (others.length === 0) {
        if (claim.isHandover()) {
          yield HANDOVER_MS;
          if (claim.others(watched).length > 0) continue;
        }
        return claim.begin();
      }
      const waited = performance.now() - began;
      const [alive] = others.filter(({ state }) => state !== 'silent');
      const patience = alive?.state === 'young' ? Math.max(waitMs, YOUNG_MS) : waitMs;
      if (alive !== undefined && waited >= patience) throw refusal(alive.record);
    } finally {
      // Whoever waits is not in the way of a third one.
      if (!claim.hasBegun) claim.withdraw();
    }
    yield PAUSE_MS * (1 + 3 * Math.random());
  }
}

interface Other {
  record: WriterRecord;
  /** `young`: it may have begun at the same moment; `silent`: it is watched until it is alive or gone. */
  state: 'alive' | 'young' | 'silent';
}

/** By name: the last change, and since when it is known. */
type Watched = Map<string, { changedMs: number; sinceMs: number }>;

/** The right to write a palace, until it is released. */
export class Claim {
  hasBegun = false;
  #holders = 1;
  #stop = (): void => {};

  private constructor(
    private readonly folder: string,
    private readonly kernel: string,
    private readonly name: string,
    private readonly options: ClaimOptions,
  ) {}

  /** @throws the file system's error */
  static announce(folder: string, options: ClaimOptions): Claim {
    makeFolder(join(folder, WRITERS));
    const kernel = kernelOf(folder);
    const end = options.alone === true ? '.alone' : '';
    const name = `${kernel}-${process.pid}-${process.hrtime.bigint().toString(36)}${end}`;
    const { program } = options;
    const record = { host: hostname(), pid: process.pid, program, since: new Date().toISOString() };
    const claim = new Claim(folder, kernel, name, options);
    claim.#write(JSON.stringify(record));
    return claim;
  }

  #write(text: string): void {
    const file = this.#file();
    try {
      writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // On a full disk the name is enough: what frees room must go on.
      if (!isErrno(error, 'ENOSPC') || changeOf(this.folder, this.name) === undefined) throw error;
    }
  }

  #file(name = this.name): string {
    return join(this.folder, WRITERS, name);
  }

  /** Writers of other kernels. Removes files that dead writers left. */
  others(watched: Watched): Other[] {
    const nowMs = changeOf(this.folder, this.name) ?? Date.now();
    const found: Other[] = [];
    for (const name of namesIn(this.folder)) {
      const changedMs = name === this.name ? undefined : changeOf(this.folder, name);
      if (changedMs === undefined) continue;
      if (!isForeign(this.folder, name, this.kernel)) {
        if (nowMs - changedMs > 2 * STALE_MS) this.#remove(name);
        continue;
      }
      const record = recordOf(this.folder, name);
      const seen = watched.get(name);
      const unchanged = seen?.changedMs === changedMs ? performance.now() - seen.sinceMs : 0;
      if (seen === undefined || unchanged === 0) watched.set(name, { changedMs, sinceMs: performance.now() });
      const isOld = nowMs - changedMs > STALE_MS;
      const isOfLastBoot = record.host === hostname() && changedMs < Date.now() - uptime() * 1000 - STALE_MS;
      if (isOfLastBoot || unchanged > STALE_MS || (isOld && unchanged > WATCH_MS)) this.#remove(name);
      else found.push({ record, state: isOld ? 'silent' : record.beats === 0 ? 'young' : 'alive' });
    }
    return found;
  }

  #remove(name: string): void {
    rmSync(this.#file(name), { force: true });
  }

  /** Whether another kernel wrote last: what is cached here may be older. */
  isHandover(): boolean {
    const last = lastIn(this.folder);
    return last.length > 0 && !last.includes(LAST + this.kernel);
  }

  begin(): Claim {
    const mine = LAST + this.kernel;
    const last = lastIn(this.folder);
    if (!last.includes(mine)) writeFileSync(this.#file(mine), '', { mode: 0o600 });
    for (const name of last) if (name !== mine) this.#remove(name);
    this.hasBegun = true;
    this.#stop = this.options.steady === true ? beatInThread(this.#file()) : beatHere(this.#file());
    if (held.size === 0) process.on('exit', withdrawAll);
    held.set(this.folder, this);
    return this;
  }

  join(): this {
    this.#holders += 1;
    return this;
  }

  /** False if another kernel took the palace while this process stood still, or the folder was removed. */
  isHeld(): boolean {
    return changeOf(this.folder, this.name) !== undefined;
  }

  /**
   * To be called in each transaction, before its first change.
   *
   * @throws LockedElsewhere if another kernel has taken the palace; UserError `locked` while a program writes alone
   */
  check(): void {
    const names = namesIn(this.folder);
    if (!names.includes(this.name)) {
      const other = names.find((name) => isForeign(this.folder, name, this.kernel));
      throw other === undefined ? replaced() : refusal(recordOf(this.folder, other));
    }
    const alone = names.find((name) => name.endsWith('.alone') && name.startsWith(`${this.kernel}-`));
    if (alone === undefined || this.options.alone === true) return;
    const { pid, program } = recordOf(this.folder, alone);
    // A killed program leaves its file; its lock is free.
    if (lockHolder(join(this.folder, RUN_LOCK))?.pid !== pid) return;
    throw new UserError('locked', `${program} is replacing the palace`, {
      hint: 'nothing was written; ask again when it has ended',
    });
  }

  release(): void {
    this.#holders -= 1;
    if (this.#holders === 0) this.withdraw();
  }

  withdraw(): void {
    this.#stop();
    this.#remove(this.name);
    if (held.get(this.folder) === this) held.delete(this.folder);
    if (held.size === 0) process.off('exit', withdrawAll);
  }
}

function withdrawAll(): void {
  for (const claim of held.values()) claim.withdraw();
}

/** The palace that is open is not the one in its folder any more. */
export function replaced(): UserError {
  return new UserError('locked', 'the palace was replaced while it was open', {
    hint: 'nothing was written; run the command again',
  });
}

function refusal({ program, host, pid, since }: WriterRecord): LockedElsewhere {
  const who = `${line(program)} on ${line(host)} (process ${pid}, since ${line(since)})`;
  return new LockedElsewhere(
    `the palace is in a shared folder, and ${who} writes it`,
    `wait until it ends (--wait 10m), or use the palace of that machine from here: MEMPALACE_BROKER=ssh://${line(host)} (docs/remote.md)`,
  );
}

function beatHere(file: string): () => void {
  const timer = setInterval(() => beat(file), BEAT_MS).unref();
  return () => clearInterval(timer);
}

function beatInThread(file: string): () => void {
  const worker = new Worker(inPackage(BEAT_FILE), { workerData: file, execArgv: [] });
  worker.unref();
  // Without a thread, the file changes when this one has time.
  let stop = (): void => void worker.terminate();
  worker.once('error', () => {
    stop = beatHere(file);
  });
  return () => stop();
}

function namesIn(folder: string): string[] {
  return entriesIn(folder).filter((name) => NAME.test(name));
}

function lastIn(folder: string): string[] {
  return entriesIn(folder).filter((name) => name.startsWith(LAST));
}

function entriesIn(folder: string): string[] {
  try {
    return readdirSync(join(folder, WRITERS));
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return [];
    throw error;
  }
}

/** As the file system gives it, which may have another clock. */
function changeOf(folder: string, name: string): number | undefined {
  return statSync(join(folder, WRITERS, name), { throwIfNoEntry: false })?.mtimeMs;
}

function recordOf(folder: string, name: string): WriterRecord & { beats: number } {
  const read = Object(parseJson(textOrEmpty(join(folder, WRITERS, name))));
  const { host = 'another machine', pid = 0, program = 'a program', since = 'lately', beats = 0 } = read;
  return {
    host: String(host),
    pid: Number(pid),
    program: String(program),
    since: String(since),
    beats: Number(beats),
  };
}

/** Whether the locks of a writer do not reach here. */
function isForeign(folder: string, name: string, kernel: string): boolean {
  if (name.startsWith(`${kernel}-`)) return false;
  // Some containers hide the identity of their kernel.
  const { pid } = recordOf(folder, name);
  const holders = [BROKER_LOCK, RUN_LOCK].map((lock) => lockHolder(join(folder, lock))?.pid);
  return pid === process.pid || !holders.includes(pid);
}

/** The same for all programs whose locks on the folder meet: those of one running kernel, on one mounted file system. */
function kernelOf(folder: string): string {
  const { dev } = statSync(folder);
  bootId ??= bootOf(process.platform);
  const system = bootId.toLowerCase().replace(/[^0-9a-z]/g, '');
  return `${system.slice(0, 16) || '0'}.${dev.toString(36)}`;
}

let bootId: string | undefined;

function bootOf(platform: NodeJS.Platform): string {
  try {
    if (platform === 'linux') return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    if (platform === 'darwin')
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
  } catch {
    // Its name is the next best.
  }
  return hostname();
}
