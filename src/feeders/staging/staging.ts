import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Batch } from '../../core/contract.js';
import { MANIFEST_NAME, manifestSchema } from '../../core/manifest.js';
import { takeLock } from '../../platform/lock.js';
import { makeFolder } from '../../platform/make-folder.js';
import { isInside, readManifest } from '../../platform/manifest-file.js';
import { inPieces } from './in-pieces.js';
import { PrivateFolders } from './private-folders.js';
import { type FileContent, replaceFile, TEMPORARY } from './replace-file.js';
import { removeIfEmpty, sameTime, statOf } from './staged-files.js';
import { type StagedEntry, StagedRecords } from './staged-records.js';

export type { StagedEntry } from './staged-records.js';

interface StagedFile {
  /** Absolute. */
  path: string;
  /** The same below the cache root, with `/`. */
  sourceFile: string;
  bytes: number;
  /** SHA-256 of the bytes, in hexadecimal. */
  hash: string;
}

export interface StagingOptions {
  /** Absolute; ends in `sourceFilePrefix`. What precedes that is the cache root. */
  folder: string;
  /** With `/`: `mempalace-docs/<wing>/<project>` or `mempalace-session/<wing>`. */
  sourceFilePrefix: string;
  /** Named to others that wait for the lock. */
  command: string;
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** How often `keep` writes, in milliseconds; `KEEP_EVERY_MS` when absent. */
  keepEveryMs?: number | undefined;
}

/** One staging folder and its manifest, locked for this run. */
export interface Staging {
  readonly folder: string;
  /** Id of the project that the manifest found here belongs to; undefined without manifest or project. */
  readonly owner: string | undefined;
  /** All recorded sources whose staged file is there with its recorded size and mtime. */
  entries(): StagedEntry[];
  entry(sourceKey: string): StagedEntry | undefined;
  /** The staged file of this source is there and was made under this fingerprint. */
  isCurrent(sourceKey: string, fingerprint: string): boolean;
  /**
   * Writes a file of the mirror atomically, 0600 in 0700 folders whatever the umask, with this mtime (epoch
   * milliseconds). A stream is never held whole in memory.
   *
   * @throws UserError `failed` when a folder of the mirror is a symbolic link
   * @throws Error when `relativePath` leaves the folder or takes a name that is reserved (both are bugs)
   */
  write(relativePath: string, content: FileContent, mtimeMs: number): Promise<StagedFile>;
  /** Records a source, in place of an earlier record of the same key; a file under an older name leaves. */
  put(entry: StagedEntry): void;
  /** Forgets a source and removes its file. */
  drop(sourceKey: string): void;
  /**
   * Drops every recorded source for which `keep` is false and removes files that nobody recorded (left by a
   * killed run) and empty folders; with `within` only below this relative folder.
   */
  sweep(keep: (entry: StagedEntry) => boolean, within?: string): void;
  /** Writes the manifest atomically; not at all when nothing changed. */
  save(batch: Omit<Batch, 'sources'>): Promise<void>;
  /**
   * As `save`, but only now and then, while staging goes on: what a killed run has staged until then need not be
   * staged again, so that runs which are all killed get further each time. `batch` must claim nothing yet.
   */
  keep(batch: Omit<Batch, 'sources'>): Promise<void>;
  /** Releases the lock. */
  close(): void;
}

/** Seldom enough to cost nothing, often enough that a run that is killed every minute gets on. */
const KEEP_EVERY_MS = 5_000;
/** Writing the manifest of 100,000 sources takes a while: it gets this share of the time at most. */
const KEEPING_SHARE = 0.05;
const LOCK_FILES = new Set(['.lock', '.lock.holder', '.lock-journal']);

/**
 * Opens a staging folder for writing, making it when absent. Only one run at a time may write below a wing.
 *
 * @throws UserError `locked` when another run holds the wing for longer than `waitMs`
 * @throws UserError `failed` when a folder below the cache root is a symbolic link
 */
export async function openStaging(options: StagingOptions): Promise<Staging> {
  const { folder, sourceFilePrefix, command, waitMs, signal, keepEveryMs = KEEP_EVERY_MS } = options;
  const segments = sourceFilePrefix.split('/');
  if (!isInside(sourceFilePrefix) || !folder.endsWith(sep + segments.join(sep))) {
    throw new Error(`the staging folder ${folder} does not end in ${sourceFilePrefix}`);
  }
  const cacheRoot = folder.slice(0, -(sourceFilePrefix.length + 1));
  makeFolder(cacheRoot);
  const wingFolder = join(cacheRoot, ...segments.slice(0, 2));
  const folders = new PrivateFolders(cacheRoot);
  folders.ensure(wingFolder);
  const lock = await takeLock(join(wingFolder, '.lock'), command, waitMs, signal);
  try {
    folders.ensure(folder);
    return new StagingFolder(folder, sourceFilePrefix, folders, () => lock.release(), signal, keepEveryMs);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class StagingFolder implements Staging {
  readonly folder: string;
  readonly #prefix: string;
  readonly #folders: PrivateFolders;
  readonly #release: () => void;
  readonly #signal: AbortSignal | undefined;
  readonly #records = new StagedRecords();
  /** Written, not recorded yet: the file no longer belongs to the path's previous owner. */
  readonly #written = new Set<string>();
  /** The manifest that lies in the folder, without its sources, and whether the records differ from it. */
  #saved: string | undefined;
  #changed = true;
  readonly #keepEveryMs: number;
  /** Of this process's clock, which nobody sets. */
  #keptAtMs = performance.now();
  #keepingMs = 0;
  #keeping = false;
  #temporaries = 0;
  owner: string | undefined;

  constructor(
    folder: string,
    prefix: string,
    folders: PrivateFolders,
    release: () => void,
    signal: AbortSignal | undefined,
    keepEveryMs: number,
  ) {
    this.folder = folder;
    this.#prefix = prefix;
    this.#folders = folders;
    this.#release = release;
    this.#signal = signal;
    this.#keepEveryMs = keepEveryMs;
    this.#load();
  }

  #load(): void {
    const manifest = readManifest(this.folder);
    if (manifest === undefined) return;
    const { sources, ...rest } = manifest;
    this.owner = rest.project?.id;
    this.#saved = JSON.stringify(rest);
    let moved = false;
    for (const source of sources) {
      const path = join(this.folder, source.path);
      const sourceFile = `${this.#prefix}/${source.path}`;
      moved ||= source.sourceFile !== sourceFile;
      if (!this.#folders.isSound(dirname(path))) continue;
      const stat = statOf(path);
      if (stat?.isFile() !== true || stat.size !== source.bytes) continue;
      if (!sameTime(stat.mtimeMs, source.mtimeMs)) continue;
      // The names come from where the folder lies now: a cache that was moved keeps working.
      this.#record(Object.assign(source, { path, sourceFile }));
    }
    this.#changed = moved || this.#records.size !== sources.length;
  }

  entries(): StagedEntry[] {
    return this.#records.all();
  }

  entry(sourceKey: string): StagedEntry | undefined {
    return this.#records.get(sourceKey);
  }

  isCurrent(sourceKey: string, fingerprint: string): boolean {
    return this.#records.get(sourceKey)?.fingerprint === fingerprint;
  }

  async write(relativePath: string, content: FileContent, mtimeMs: number): Promise<StagedFile> {
    if (!isInside(relativePath) || isReserved(relativePath)) {
      throw new Error(`not a path for a staged file: ${JSON.stringify(relativePath)}`);
    }
    const path = join(this.folder, relativePath);
    this.#makeWay(path);
    const written = await this.#replace(path, content, mtimeMs);
    this.#written.add(path);
    return { path, sourceFile: `${this.#prefix}/${relativePath}`, ...written };
  }

  put(entry: StagedEntry): void {
    const relativePath = this.#relative(entry.path);
    if (!isInside(relativePath)) throw new Error(`not in the staging folder: ${entry.path}`);
    const before = this.#records.get(entry.sourceKey);
    if (before !== undefined && isDeepStrictEqual(stored(before), stored(entry))) {
      this.#written.delete(entry.path);
      return;
    }
    const owner = this.#records.ownerOf(entry.path);
    if (owner !== undefined && owner !== entry.sourceKey) this.#forget(owner);
    this.#record(entry);
    this.#written.delete(entry.path);
    if (before !== undefined && before.path !== entry.path) this.#abandon(before.path, entry.sourceKey);
  }

  drop(sourceKey: string): void {
    const entry = this.#forget(sourceKey);
    if (entry !== undefined && !this.#written.has(entry.path)) this.#remove(entry.path);
  }

  sweep(keep: (entry: StagedEntry) => boolean, within?: string): void {
    if (within !== undefined && !isInside(within)) throw new Error(`not a folder of the mirror: ${within}`);
    const start = within === undefined ? this.folder : join(this.folder, within);
    for (const entry of this.entries()) {
      const covered = start === this.folder || entry.path.startsWith(start + sep);
      if (covered && !keep(entry)) this.drop(entry.sourceKey);
    }
    if (!this.#folders.isSound(start)) return;
    this.#removeUnrecorded(start);
    for (let folder = start; folder !== this.folder; folder = dirname(folder)) {
      if (!removeIfEmpty(folder)) return;
    }
  }

  async save(batch: Omit<Batch, 'sources'>): Promise<void> {
    // Parsed, so that the same batch gives the same bytes whatever order its properties came in.
    const { sources: _, ...rest } = manifestSchema.parse({ version: 1, sources: [], ...batch });
    const saved = JSON.stringify(rest);
    if (!this.#changed && saved === this.#saved) return;
    // What is recorded while the file is written is not in it.
    this.#changed = false;
    try {
      await this.#replace(join(this.folder, MANIFEST_NAME), this.#manifest(saved), Date.now());
    } catch (error) {
      this.#changed = true;
      throw error;
    }
    this.#saved = saved;
  }

  /**
   * The manifest in pieces, of the records as they are now: that of 100,000 sources has 75 MB. `rest` is the JSON of
   * all but the sources.
   */
  #manifest(rest: string): AsyncIterable<string> {
    const entries = this.entries().sort((a, b) => (a.sourceKey < b.sourceKey ? -1 : 1));
    const toJson = (entry: StagedEntry) => {
      const path = this.#relative(entry.path);
      return JSON.stringify(manifestSchema.shape.sources.element.parse({ ...entry, path }));
    };
    return inPieces(
      (function* () {
        yield `${rest.slice(0, -1)},"sources":[`;
        for (const [index, entry] of entries.entries())
          yield index === 0 ? toJson(entry) : `,${toJson(entry)}`;
        yield ']}\n';
      })(),
    );
  }

  async keep(batch: Omit<Batch, 'sources'>): Promise<void> {
    const started = performance.now();
    const pause = Math.max(this.#keepEveryMs, this.#keepingMs / KEEPING_SHARE);
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
    this.#release();
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

  #abandon(path: string, sourceKey: string): void {
    const owner = this.#records.ownerOf(path);
    if ((owner === undefined || owner === sourceKey) && !this.#written.has(path)) this.#remove(path);
  }

  #remove(path: string): void {
    if (this.#records.hasUnderAnotherSpelling(path) || !this.#folders.isSound(dirname(path))) return;
    rmSync(path, { force: true });
    for (let folder = dirname(path); folder !== this.folder; folder = dirname(folder)) {
      if (!removeIfEmpty(folder)) return;
      this.#folders.forget(folder);
    }
  }

  /** A folder that is a file now, or a file that is a folder now: what lay there is gone at the origin. */
  #makeWay(path: string): void {
    for (let folder = dirname(path); folder !== this.folder; folder = dirname(folder)) {
      if (statOf(folder)?.isFile() === true) this.#clear(folder);
    }
    this.#folders.ensure(dirname(path));
    if (statOf(path)?.isDirectory() !== true) return;
    for (const entry of this.entries()) if (entry.path.startsWith(path + sep)) this.#forget(entry.sourceKey);
    this.#clear(path);
  }

  #clear(path: string): void {
    const owner = this.#records.ownerOf(path);
    if (owner !== undefined) this.#forget(owner);
    rmSync(path, { recursive: true, force: true });
    this.#folders.forget(path);
  }

  #replace(path: string, content: FileContent, mtimeMs: number): Promise<{ bytes: number; hash: string }> {
    this.#temporaries += 1;
    return replaceFile(path, content, { mtimeMs, number: this.#temporaries, signal: this.#signal });
  }

  /** Returns how many items stay. */
  #removeUnrecorded(folder: string): number {
    let staying = 0;
    for (const item of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, item.name);
      const ours = folder === this.folder && (item.name === MANIFEST_NAME || LOCK_FILES.has(item.name));
      if (ours || this.#records.ownerOf(path) !== undefined) {
        staying += 1;
      } else if (item.isDirectory()) {
        const left = this.#removeUnrecorded(path);
        if (left === 0 && removeIfEmpty(path)) this.#folders.forget(path);
        else staying += 1;
      } else if (this.#records.hasUnderAnotherSpelling(path)) {
        staying += 1;
      } else {
        rmSync(path, { force: true });
      }
    }
    return staying;
  }
}

/** As the manifest keeps it: what is undefined is not there. */
function stored(entry: StagedEntry): object {
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

function isReserved(relativePath: string): boolean {
  if (basename(relativePath).startsWith(TEMPORARY)) return true;
  return relativePath === MANIFEST_NAME || LOCK_FILES.has(relativePath);
}
