import type { StagedSource } from '../../core/contract.js';
import { statOf } from './staged-files.js';

/** A staged source. The feeder compares the fingerprint to see whether its file is still valid. */
export type StagedEntry = StagedSource & { fingerprint: string };

/** The recorded sources of a staging folder, by key and by path. */
export class StagedRecords {
  readonly #entries = new Map<string, StagedEntry>();
  readonly #owners = new Map<string, string>();
  /**
   * Recorded paths by their spelling without case and Unicode form: on some file systems two spellings are one file.
   * Filled when the first file is removed.
   */
  #spellings: Map<string, Set<string>> | undefined;

  get size(): number {
    return this.#entries.size;
  }

  all(): StagedEntry[] {
    return [...this.#entries.values()];
  }

  get(sourceKey: string): StagedEntry | undefined {
    return this.#entries.get(sourceKey);
  }

  ownerOf(path: string): string | undefined {
    return this.#owners.get(path);
  }

  set(entry: StagedEntry): void {
    this.delete(entry.sourceKey);
    this.#entries.set(entry.sourceKey, entry);
    this.#owners.set(entry.path, entry.sourceKey);
    if (this.#spellings !== undefined) addSpelling(this.#spellings, entry.path);
  }

  delete(sourceKey: string): StagedEntry | undefined {
    const entry = this.#entries.get(sourceKey);
    if (entry === undefined) return undefined;
    this.#entries.delete(sourceKey);
    if (this.#owners.get(entry.path) === sourceKey) {
      this.#owners.delete(entry.path);
      this.#spellings?.get(foldPath(entry.path))?.delete(entry.path);
    }
    return entry;
  }

  /** Whether the same file is recorded under another spelling, on a file system that ignores case or Unicode form. */
  hasUnderAnotherSpelling(path: string): boolean {
    if (this.#spellings === undefined) {
      this.#spellings = new Map();
      for (const owned of this.#owners.keys()) addSpelling(this.#spellings, owned);
    }
    const spellings = this.#spellings.get(foldPath(path));
    if (spellings === undefined || spellings.size === 0) return false;
    const stat = statOf(path);
    return [...spellings].some((other) => {
      const twin = other === path ? undefined : statOf(other);
      return twin !== undefined && twin.ino === stat?.ino && twin.dev === stat.dev;
    });
  }
}

function addSpelling(spellings: Map<string, Set<string>>, path: string): void {
  const folded = foldPath(path);
  spellings.set(folded, (spellings.get(folded) ?? new Set()).add(path));
}

function foldPath(path: string): string {
  return path.normalize('NFC').toLowerCase();
}
