import { dirname, isAbsolute } from 'node:path';
import { sha256 } from '../../../../core/hash.js';
import type { Entry } from '../../entry.js';
import type { Message } from './message.js';

/** Paths that are tried. */
const MOST_PATHS = 200;

/**
 * The folder of a session of which only the hash of its path is kept: it is above the files that tools were called
 * with.
 */
export class WorkFolder {
  /** SHA-256 of the path. */
  hash: string | undefined;
  readonly #tried = new Set<string>();
  #found = false;

  *entries({ said }: Message): Generator<Entry> {
    for (const part of said) {
      if (this.#found || this.hash === undefined) return;
      if (part.kind !== 'call') continue;
      const cwd = pathsIn(part.input)
        .map((path) => this.#above(path))
        .find((each) => each !== undefined);
      if (cwd === undefined) continue;
      this.#found = true;
      yield { kind: 'fact', cwd };
    }
  }

  #above(path: string): string | undefined {
    for (
      let folder = path;
      !this.#tried.has(folder) && this.#tried.size < MOST_PATHS;
      folder = dirname(folder)
    ) {
      this.#tried.add(folder);
      if (sha256(folder) === this.hash) return folder;
    }
    return undefined;
  }
}

function pathsIn(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  return Object.values(input).filter(
    (value): value is string => typeof value === 'string' && isAbsolute(value),
  );
}
