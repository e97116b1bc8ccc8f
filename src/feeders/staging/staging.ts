import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Batch, MANIFEST_NAME, manifestSchema } from '../../core/contract.js';
import { type Lock, takeLock } from '../../platform/lock.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isInside, readManifest } from '../../platform/manifest-file.js';
import { PrivateFolders } from './private-folders.js';
import type { ReadAhead } from './read-staged.js';
import { type FileContent, replaceFile, TEMPORARY, type WriteOptions } from './replace-file.js';
import { removeIfEmpty, sameTime, statOf } from './staged-files.js';
import { type StagedEntry, StagedRecords } from './staged-records.js';

export type { StagedEntry } from './staged-records.js';

type StagedFile = Pick<StagedEntry, 'path' | 'sourceFile' | 'bytes' | 'hash'>;

export interface StagingOptions {
  cache: string;
  /** The staging folder below it, with `/`: `mempalace-docs/<wing>/<project>` or `mempalace-session/<wing>`. */
  prefix: string;
  command: string;
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** What the survey of this run has read. */
  manifests?: ReadAhead | undefined;
  /** How often `keep` writes, in milliseconds. Default: `KEEP_EVERY_MS`. */
  keepEveryMs?: number | undefined;
}

/** Seldom enough to be cheap, often enough that runs which are killed every minute make progress. */
const KEEP_EVERY_MS = 5_000;
/** Writing the manifest of 100,000 sources is slow: it takes at most this share of the time. */
const KEEPING_SHARE = 0.05;
/** In the folder, but not part of the mirror. */
const OWN_FILES = new Set([MANIFEST_NAME, '.lock', '.lock.holder', '.lock-journal']);

/**
 * Opens a staging folder for writing and makes it when absent. Only one run at a time may write below a wing.
 *
 * @throws UserError `locked` when another run locks the wing for longer than `waitMs`
 * @throws UserError `failed` when a folder below the cache root is a symbolic link
 */
export async function openStaging(options: StagingOptions): Promise<Staging> {
  const { cache, prefix, command, waitMs, signal } = options;
  if (!isInside(prefix)) throw new Error(`not a staging folder: ${prefix}`);
  makeFolder(cache);
  const wingFolder = join(cache, ...prefix.split('/').slice(0, 2));
  const folders = new PrivateFolders(cache);
  folders.ensure(wingFolder);
  const lock = await takeLock(join(wingFolder, '.lock'), command, waitMs, signal);
  try {
    folders.ensure(join(cache, prefix));
    return new Staging(options, folders, lock);
  } catch (error) {
    lock.release();
    throw error;
  }
}

export class Staging {
  readonly folder: string;
  /** Id of the project of the manifest in the folder; undefined without manifest or project. */
  readonly owner: string | undefined;
  readonly #records = new StagedRecords();
  /** Written, not recorded yet: the file no longer belongs to the path's previous owner. */
  readonly #written = new Set<string>();
  /** The manifest in the folder, without its sources, and whether the records differ from it. */
  #saved: string | undefined;
  #changed = true;
  #keptAtMs = performance.now();
  #keepingMs = 0;
  #keeping = false;
  /**
   * Number of sources that this run recorded. A run whose time is up stops only after the first: what is staged costs the next
   * run almost nothing, so runs that are all too short finish the work together.
   */
  advances = 0;

  constructor(
    private readonly options: StagingOptions,
    private readonly folders: PrivateFolders,
    private readonly lock: Lock,
  ) {
    this.folder = join(options.cache, options.prefix);
    const { manifests } = options;
    const manifest = manifests === undefined ? readManifest(this.folder) : manifests.take(this.folder);
    if (manifest === undefined) return;
    const { sources, ...rest } = manifest;
    this.owner = rest.project?.id;
    this.#saved = JSON.stringify(rest);
    let moved = false;
    for (const source of sources) {
      const path = join(this.folder, source.path);
      const sourceFile = this.#sourceFile(source.path);
      moved ||= source.sourceFile !== sourceFile;
      if (!this.folders.isSound(dirname(path))) continue;
      const stat = statOf(path);
      if (stat?.isFile() !== true || stat.size !== source.bytes) continue;
      if (!sameTime(stat.mtimeMs, source.mtimeMs)) continue;
      // The paths follow from the folder's location, so a moved cache still works.
      this.#record(Object.assign(source, { path, sourceFile }));
    }
    this.#changed = moved || this.#records.size !== sources.length;
  }

  /** All recorded sources whose staged file exists with its recorded size and mtime. */
  entries(): StagedEntry[] {
    return this.#records.all();
  }

  entry(sourceKey: string): StagedEntry | undefined {
    return this.#records.get(sourceKey);
  }

  /**
   * Writes a file of the mirror as `replaceFile` does, in 0700 folders.
   *
   * @throws UserError `failed` when a folder of the mirror is a symbolic link
   * @throws Error when `relativePath` leaves the folder or is a reserved name (both are bugs)
   */
  async write(
    relativePath: string,
    content: FileContent,
    mtimeMs: number,
    options?: WriteOptions,
  ): Promise<StagedFile> {
    if (!isInside(relativePath) || isReserved(relativePath)) {
      throw new Error(`not a path for a staged file: ${JSON.stringify(relativePath)}`);
    }
    const path = join(this.folder, relativePath);
    this.#clearPathFor(path);
    const written = await replaceFile(path, content, mtimeMs, options);
    this.#written.add(path);
    return { path, sourceFile: this.#sourceFile(relativePath), ...written };
  }

  isNew(entry: StagedEntry): boolean {
    const before = this.#records.get(entry.sourceKey);
    return before === undefined || !isDeepStrictEqual(stored(before), stored(entry));
  }

  /** Records a source in place of an earlier record of the same key. Its file under an older name is removed. */
  put(entry: StagedEntry): void {
    const relativePath = this.#relative(entry.path);
    if (!isInside(relativePath)) throw new Error(`not in the staging folder: ${entry.path}`);
    const before = this.#records.get(entry.sourceKey);
    if (!this.isNew(entry)) {
      this.#written.delete(entry.path);
      return;
    }
    this.advances += 1;
    const owner = this.#records.ownerOf(entry.path);
    if (owner !== undefined && owner !== entry.sourceKey) this.#forget(owner);
    this.#record(entry);
    this.#written.delete(entry.path);
    if (before === undefined || before.path === entry.path) return;
    const isTaken = this.#records.ownerOf(before.path) !== undefined || this.#written.has(before.path);
    if (!isTaken) this.#remove(before.path);
  }

  drop(sourceKey: string): void {
    const entry = this.#forget(sourceKey);
    if (entry !== undefined && !this.#written.has(entry.path)) this.#remove(entry.path);
  }

  /**
   * Drops every recorded source for which `keep` is false, and removes unrecorded files (left by a killed run) and
   * empty folders. With `within`, only below this relative folder.
   */
  sweep(keep: (entry: StagedEntry) => boolean, within?: string): void {
    if (within !== undefined && !isInside(within)) throw new Error(`not a folder of the mirror: ${within}`);
    const start = within === undefined ? this.folder : join(this.folder, within);
    for (const entry of this.entries()) {
      const covered = start === this.folder || entry.path.startsWith(start + sep);
      if (covered && !keep(entry)) this.drop(entry.sourceKey);
    }
    if (!this.folders.isSound(start)) return;
    this.#removeUnrecorded(start);
    for (let folder = start; folder !== this.folder; folder = dirname(folder)) {
      if (!removeIfEmpty(folder)) return;
    }
  }

  /** Writes the manifest atomically, unless nothing changed. */
  async save(batch: Omit<Batch, 'sources'>): Promise<void> {
    // Parsed, so that the order of the batch's properties does not matter.
    const { sources: _, ...rest } = manifestSchema.parse({ version: 1, sources: [], ...batch });
    const saved = JSON.stringify(rest);
    if (!this.#changed && saved === this.#saved) return;
    // The file does not contain sources that are recorded while it is written.
    this.#changed = false;
    try {
      const entries = this.entries().sort((a, b) => (a.sourceKey < b.sourceKey ? -1 : 1));
      await replaceFile(join(this.folder, MANIFEST_NAME), this.#manifest(saved, entries), Date.now());
    } catch (error) {
      this.#changed = true;
      throw error;
    }
    this.#saved = saved;
  }

  /** The manifest in pieces: that of 100,000 sources has 75 MB. @param rest the JSON of all but the sources */
  *#manifest(rest: string, entries: StagedEntry[]): Generator<string> {
    yield `${rest.slice(0, -1)},"sources":[`;
    for (const [index, entry] of entries.entries()) {
      const source = { ...entry, path: this.#relative(entry.path) };
      const json = JSON.stringify(manifestSchema.shape.sources.element.parse(source));
      yield index === 0 ? json : `,${json}`;
    }
    yield ']}\n';
  }

  /**
   * As `save`, but only now and then during staging. The next run does not stage those sources again, so even runs
   * that are all killed make progress. `batch` must not claim completeness.
   */
  async keep(batch: Omit<Batch, 'sources'>): Promise<void> {
    const started = performance.now();
    const pause = Math.max(this.options.keepEveryMs ?? KEEP_EVERY_MS, this.#keepingMs / KEEPING_SHARE);
    if (this.#keeping || started - this.#keptAtMs < pause) return;
    this.#keeping = true;
    try {
      await this.save(batch);
    } finally {
      this.#keeping = false;
      this.#keptAtMs = performance.now();
      this.#keepingMs = this.#keptAtMs - started;
    }
  }

  close(): void {
    this.lock.release();
  }

  #sourceFile(relativePath: string): string {
    return `${this.options.prefix}/${relativePath}`;
  }

  #relative(path: string): string {
    return relative(this.folder, path).split(sep).join('/');
  }

  #record(entry: StagedEntry): void {
    this.#changed = true;
    this.#records.set(entry);
  }

  #forget(sourceKey: string): StagedEntry | undefined {
    const entry = this.#records.delete(sourceKey);
    if (entry !== undefined) this.#changed = true;
    return entry;
  }

  #remove(path: string): void {
    if (this.#records.hasUnderAnotherSpelling(path) || !this.folders.isSound(dirname(path))) return;
    rmSync(path, { force: true });
    for (let folder = dirname(path); folder !== this.folder; folder = dirname(folder)) {
      if (!removeIfEmpty(folder)) return;
      this.folders.forget(folder);
    }
  }

  /** Removes files where folders are needed, and a folder where the file is needed: the originals are gone. */
  #clearPathFor(path: string): void {
    for (let folder = dirname(path); folder !== this.folder; folder = dirname(folder)) {
      if (statOf(folder)?.isFile() === true) this.#clear(folder);
    }
    this.folders.ensure(dirname(path));
    if (statOf(path)?.isDirectory() !== true) return;
    for (const entry of this.entries()) if (entry.path.startsWith(path + sep)) this.#forget(entry.sourceKey);
    this.#clear(path);
  }

  #clear(path: string): void {
    const owner = this.#records.ownerOf(path);
    if (owner !== undefined) this.#forget(owner);
    rmSync(path, { recursive: true, force: true });
    this.folders.forget(path);
  }

  /** @returns how many items remain */
  #removeUnrecorded(folder: string): number {
    let remaining = 0;
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, item.name);
      const ours = folder === this.folder && OWN_FILES.has(item.name);
      if (ours || this.#records.ownerOf(path) !== undefined) {
        remaining += 1;
      } else if (item.isDirectory()) {
        const left = this.#removeUnrecorded(path);
        if (left === 0 && removeIfEmpty(path)) this.folders.forget(path);
        else remaining += 1;
      } else if (this.#records.hasUnderAnotherSpelling(path)) {
        remaining += 1;
      } else {
        rmSync(path, { force: true });
      }
    }
    return remaining;
  }
}

function stored(entry: StagedEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function isReserved(relativePath: string): boolean {
  return basename(relativePath).startsWith(TEMPORARY) || OWN_FILES.has(relativePath);
}
