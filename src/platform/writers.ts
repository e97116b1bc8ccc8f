import { rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { isErrno, LockedElsewhere, UserError } from '../core/errors.js';
import { line } from '../core/outside.js';
import { inPackage } from './in-package.js';
import { lockHolder, RUN_LOCK } from './lock.js';
import { makeFolder } from './make-folder.js';
import { pause } from './pause.js';
import { BEAT_MS, beat } from './writer-beat.js';
import {
  changeOf,
  isForeign,
  isLeft,
  isOfLastBoot,
  kernelOf,
  LAST,
  lastIn,
  namesIn,
  recordOf,
  STALE_MS,
  WRITERS,
  type WriterRecord,
} from './writer-files.js';

/** A writer whose file looks old is watched this long, as the clocks of two machines differ. */
const WATCH_MS = 2 * BEAT_MS;
/** Time for two programs that begin at the same moment: one of them gives way. */
const YOUNG_MS = 3_000;
/** Longer than the usual time for which a shared folder answers from a cache (FUSE, virtiofs: one second). */
const HANDOVER_MS = 2_000;
const PAUSE_MS = 100;
const BEAT_FILE = 'dist/platform/writer-beat-thread.js';

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
export function claimPalaceNow(folder: string): Claim {
  const steps = claiming(folder, { program: 'mempalace' });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    pause(step.value);
  }
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
    try {
      writeFileSync(claim.#file(), JSON.stringify(record), { flag: 'wx', mode: 0o600 });
    } catch (error) {
      // On a full disk the name is enough: what frees room must go on.
      if (!isErrno(error, 'ENOSPC') || changeOf(folder, name) === undefined) throw error;
    }
    return claim;
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
        if (isLeft(this.folder, name, nowMs - changedMs)) this.#remove(name);
        continue;
      }
      const record = recordOf(this.folder, name);
      const seen = watched.get(name);
      const unchanged = seen?.changedMs === changedMs ? performance.now() - seen.sinceMs : 0;
      if (seen === undefined || unchanged === 0) watched.set(name, { changedMs, sinceMs: performance.now() });
      const isOld = nowMs - changedMs > STALE_MS;
      const isGone = unchanged > STALE_MS || (isOld && unchanged > WATCH_MS);
      if (isGone || isOfLastBoot(this.folder, name)) this.#remove(name);
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
