import { chmodSync, lstatSync, type Stats } from 'node:fs';
import { dirname, sep } from 'node:path';
import { UserError } from '../../core/errors.js';
import { makeFolder } from '../../platform/make-folder.js';

/** Folders below a root with mode 0700. Symbolic links are refused. Each folder is checked once. */
export class PrivateFolders {
  readonly #known = new Set<string>();

  constructor(private readonly root: string) {}

  /** Makes the folder and those above it, below the root. @throws UserError `failed` when one is a link or a file */
  ensure(folder: string): void {
    if (folder === this.root || this.#known.has(folder)) return;
    this.ensure(dirname(folder));
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) makeFolder(folder);
    this.#accept(folder, lstatSync(folder));
  }

  /** Whether the folder exists and neither it nor a folder above it, below the root, is a link. */
  isSound(folder: string): boolean {
    if (folder === this.root || this.#known.has(folder)) return true;
    if (!this.isSound(dirname(folder))) return false;
    const stat = lstatSync(folder, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true) return false;
    this.#accept(folder, stat);
    return true;
  }

  #accept(folder: string, stat: Stats): void {
    if (!stat.isDirectory()) {
      const kind = stat.isSymbolicLink() ? 'a symbolic link' : 'not a folder';
      throw new UserError('failed', `${folder} is ${kind}: nothing is staged there`, {
        hint: 'remove it; the staging cache is rebuilt by the next run',
      });
    }
    if ((stat.mode & 0o777) !== 0o700) chmodSync(folder, 0o700);
    this.#known.add(folder);
  }

  /** A removed folder is checked again when needed. */
  forget(folder: string): void {
    for (const known of this.#known) {
      if (known === folder || known.startsWith(folder + sep)) this.#known.delete(known);
    }
  }
}
