import { basename, dirname } from 'node:path';
import type { FSWatcher } from 'chokidar';
import type { Watching } from '../broker/hello.js';
import { messageOf } from '../core/errors.js';
import { timerMs } from '../core/timer.js';

/** What is filed together when one of its files changes. */
export interface Watched {
  /** Absolute, without links. A file in a folder that exists need not exist. */
  paths: readonly string[];
  /** Files below the paths that are not watched, by their names. */
  ignores?: ((name: string) => boolean) | undefined;
  /** Differs after each change that a filing would see. An event without such a change is none. */
  state?: (() => string) | undefined;
  /** Looks regularly, since the file system does not report changes. */
  polling: boolean;
  /** The feeder and its arguments. */
  command: readonly string[];
}

interface WatcherOptions {
  watched: readonly Watched[];
  /** Nothing is filed until this time has passed without a change, milliseconds. */
  quietMs: number;
  /** Runs a feeder until it ends. @returns its exit code */
  file(command: readonly string[], signal: AbortSignal): Promise<number | null>;
  onEvent(text: string): void;
}

/** Between two looks at a file system without reports, milliseconds. */
const POLL_MS = 5_000;
/** Folders with many files and without documents. */
const SKIPPED = new Set(['node_modules', 'target', 'vendor', '__pycache__']);

/** Files what changes, after a time of quiet, one feeder at a time. */
export class Watcher {
  readonly #watchers: FSWatcher[] = [];
  readonly #quiet = new Map<Watched, NodeJS.Timeout>();
  readonly #due = new Set<Watched>();
  /** States when they were last filed, or first seen. */
  readonly #known = new Map<Watched, string | undefined>();
  readonly #ending = new AbortController();
  #filing: Promise<void> | undefined;
  #last: Watching['last'];

  constructor(private readonly options: WatcherOptions) {}

  get state(): Watching {
    return { paths: this.options.watched.flatMap(({ paths }) => paths), last: this.#last };
  }

  /** Fulfils when all paths are watched. */
  async begin(): Promise<void> {
    const { watch } = await import('chokidar');
    if (this.#ending.signal.aborted) return;
    const ready = this.options.watched.map((each) => {
      const roots = new Set(each.paths);
      this.#known.set(each, each.state?.());
      const watcher = watch([...each.paths], {
        ignoreInitial: true,
        followSymlinks: false,
        ignorePermissionErrors: true,
        usePolling: each.polling,
        interval: POLL_MS,
        ignored: (path, stats) =>
          !roots.has(path) &&
          (isSkipped(path) || (stats?.isFile() === true && each.ignores?.(basename(path)) === true)),
      });
      this.#watchers.push(watcher);
      watcher.on('all', () => this.#changed(each));
      watcher.once('error', (error) => this.options.onEvent(`watching: ${messageOf(error)}`));
      // One is logged: where watches are exhausted, each folder has its own.
      watcher.on('error', () => {});
      return new Promise<void>((resolve) => watcher.once('ready', resolve));
    });
    await Promise.all(ready);
  }

  /** Ends a feeder that runs, and waits for it. */
  async end(): Promise<void> {
    this.#ending.abort();
    for (const timer of this.#quiet.values()) clearTimeout(timer);
    await Promise.all(this.#watchers.map((watcher) => watcher.close()));
    await this.#filing;
  }

  #changed(watched: Watched): void {
    if (this.#ending.signal.aborted) return;
    if (watched.state !== undefined && watched.state() === this.#known.get(watched)) return;
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
      const { command } = watched;
      this.#known.set(watched, watched.state?.());
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

const isSkipped = (path: string): boolean =>
  path !== dirname(path) && (basename(path).startsWith('.') || SKIPPED.has(basename(path)));
