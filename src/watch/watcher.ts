import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { FSWatcher } from 'chokidar';
import type { Watching } from '../broker/hello.js';
import { messageOf } from '../core/errors.js';
import { timerMs } from '../core/timer.js';

/** What is filed together when one of its files changes. */
export interface Watched {
  /** As the user names it. */
  name: string;
  /** Where it is now; undefined while it is missing. */
  find(): Place | undefined;
  /** Files below the paths that are not watched, by their names. */
  ignores?: ((name: string) => boolean) | undefined;
  /** The feeder and its arguments. */
  command: readonly string[];
}

export interface Place {
  /** Absolute, without links; the first one exists. A further file in a folder that exists need not. */
  paths: readonly [string, ...string[]];
  /** Differs after each change that a filing would see. An event without such a change is none. */
  state?: (() => string) | undefined;
  /** Looks regularly, since the file system does not report changes. */
  polling: boolean;
}

/** A place that is watched. */
interface Attended extends Place {
  watcher: FSWatcher;
  /** Differs when another file or folder has taken its name. */
  mark: string;
  /** Its root was removed. A new file or folder with this path needs a new watch. */
  isLost: boolean;
}

interface WatcherOptions {
  watched: readonly Watched[];
  /** Nothing is filed until this time has passed without a change, milliseconds. */
  quietMs: number;
  /** Runs a feeder until it ends. @returns its exit code */
  file(command: readonly string[], signal: AbortSignal): Promise<number | null>;
  onEvent(text: string): void;
  /** See `LOOK_MS`. */
  lookMs?: number;
}

/** Polling interval for file systems that do not report changes, milliseconds. */
const POLL_MS = 5_000;
/** Interval of looking for a removed folder or file that was made again, milliseconds: its watch has ended. */
const LOOK_MS = 10_000;
/** Folders with many files and without documents. */
const SKIPPED = new Set(['node_modules', 'target', 'vendor', '__pycache__']);

/** Files what changes, after a time of quiet, one feeder at a time. */
export class Watcher {
  readonly #attended = new Map<Watched, Attended>();
  readonly #quiet = new Map<Watched, NodeJS.Timeout>();
  readonly #due = new Set<Watched>();
  /** States when they were last filed, or first seen. */
  readonly #known = new Map<Watched, string | undefined>();
  readonly #ending = new AbortController();
  #filing: Promise<void> | undefined;
  #last: Watching['last'];
  #looking: NodeJS.Timeout | undefined;
  #isBusy = false;

  constructor(private readonly options: WatcherOptions) {}

  get state(): Watching {
    // While it begins, what will be watched.
    const placeOf = (each: Watched) =>
      this.#attended.get(each) ?? (this.#looking === undefined ? each.find() : undefined);
    const all = this.options.watched.map((each) => ({ name: each.name, place: placeOf(each) }));
    return {
      paths: all.flatMap(({ place }) => place?.paths ?? []),
      missing: all.flatMap(({ name, place }) => (place === undefined ? name : [])),
      last: this.#last,
    };
  }

  /** Fulfils when all that exists is watched. */
  async begin(): Promise<void> {
    await Promise.all(this.options.watched.map((each) => this.#attend(each, true)));
    if (this.#ending.signal.aborted) return;
    this.#looking = setInterval(() => void this.#look(), timerMs(this.options.lookMs ?? LOOK_MS));
    this.#looking.unref();
  }

  /** Watches again what was removed and made again, or has come back. */
  async #look(): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      for (const each of this.options.watched) await this.#attend(each, false);
    } catch (error) {
      this.options.onEvent(`watching: ${messageOf(error)}`);
    } finally {
      this.#isBusy = false;
    }
  }

  async #attend(each: Watched, isFirst: boolean): Promise<void> {
    const { onEvent } = this.options;
    const place = each.find();
    const mark = place === undefined ? '' : markOf(place.paths[0]);
    const held = this.#attended.get(each);
    if (held !== undefined && held.mark === mark && !held.isLost) return;
    if (held !== undefined) {
      this.#attended.delete(each);
      await held.watcher.close();
    }
    if (place === undefined) {
      if (isFirst || held !== undefined)
        onEvent(`watching: ${each.name} is missing; it is watched when it is there`);
      return;
    }
    await this.#watch(each, place, mark);
    if (isFirst || this.#ending.signal.aborted) return;
    onEvent(`watching ${each.name} again`);
    this.#changed(each);
  }

  async #watch(each: Watched, place: Place, mark: string): Promise<void> {
    const { watch } = await import('chokidar');
    if (this.#ending.signal.aborted) return;
    const roots = new Set(place.paths);
    if (!this.#known.has(each)) this.#known.set(each, place.state?.());
    const watcher = watch([...place.paths], {
      ignoreInitial: true,
      followSymlinks: false,
      ignorePermissionErrors: true,
      usePolling: place.polling,
      interval: POLL_MS,
      ignored: (path, stats) =>
        !roots.has(path) &&
        (isSkipped(path) || (stats?.isFile() === true && each.ignores?.(basename(path)) === true)),
    });
    const attended = { ...place, watcher, mark, isLost: false };
    this.#attended.set(each, attended);
    watcher.on('all', (event, path) => {
      if (event.startsWith('unlink') && path === place.paths[0]) attended.isLost = true;
      this.#changed(each);
    });
    watcher.once('error', (error) => this.options.onEvent(`watching: ${messageOf(error)}`));
    // One is logged: where watches are exhausted, each folder has its own.
    watcher.on('error', () => {});
    await new Promise<void>((resolve) => watcher.once('ready', resolve));
  }

  /** Ends a feeder that runs, and waits for it. */
  async end(): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#quiet.values()) clearTimeout(timer);
    clearInterval(this.#looking);
    await Promise.all([...this.#attended.values()].map(({ watcher }) => watcher.close()));
    await this.#filing;
  }

  #changed(watched: Watched): void {
    if (this.#ending.signal.aborted) return;
    const state = this.#attended.get(watched)?.state;
    if (state !== undefined && state() === this.#known.get(watched)) return;
    clearTimeout(this.#quiet.get(watched));
    const due = setTimeout(() => {
      this.#due.add(watched);
      this.#filing ??= this.#fileAll();
    }, timerMs(this.options.quietMs));
    this.#quiet.set(watched, due);
  }

  async #fileAll(): Promise<void> {
    for (const watched of this.#due) {
      this.#due.delete(watched);
      if (this.#ending.signal.aborted) break;
      const place = watched.find();
      // Nothing is filed of what is missing: a feeder would only report it.
      if (place === undefined) continue;
      const { command } = watched;
      this.#known.set(watched, place.state?.());
      const exitCode = await this.#run(command);
      this.#last = { command: command.join(' '), endedMs: Date.now(), exitCode };
      this.options.onEvent(`filed what changed: ${this.#last.command} ended with ${exitCode ?? 'a signal'}`);
    }
    this.#filing = undefined;
  }

  async #run(command: readonly string[]): Promise<number | null> {
    try {
      return await this.options.file(command, this.#ending.signal);
    } catch (error) {
      this.options.onEvent(`cannot start ${command.join(' ')}: ${messageOf(error)}`);
      return null;
    }
  }
}

/** Of the file or folder itself; the number of its inode may be given to the next one. */
function markOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${path} ${stat.dev} ${stat.ino} ${stat.birthtimeMs}`;
}

const isSkipped = (path: string): boolean =>
  path !== dirname(path) && (basename(path).startsWith('.') || SKIPPED.has(basename(path)));
