import { lstatSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { readInProject } from './open-file.js';

const MOST_BYTES = 1024 * 1024;

/** `core.ignorecase` as git sets it in a new repository. */
const IGNORE_CASE = process.platform === 'darwin' || process.platform === 'win32';

/**
 * The ignore rules of one kind (`.gitignore` or `.mempalaceignore`) for a folder.
 *
 * The files of the kind from the top down form one list, whose patterns are rewritten for the top. The last pattern
 * that matches decides, as in git. A folder without such a file shares its parent's list.
 */
export class IgnoreRules {
  private constructor(
    private readonly top: string,
    private readonly fileName: string,
    private readonly matcher: Ignore | undefined,
  ) {}

  /** The rules at the top. @param before texts whose patterns precede the file's own, such as that of `info/exclude` */
  static at(top: string, fileName: string, before: readonly string[] = []): IgnoreRules {
    const patterns = before.flatMap((text) => patternsFrom(asBytes(text), ''));
    const matcher = patterns.length === 0 ? undefined : newMatcher().add(patterns);
    return new IgnoreRules(top, fileName, matcher).inside(top);
  }

  /** @throws Error when the folder's file exists and cannot be read */
  inside(folder: string): IgnoreRules {
    const text = readSmallFile(join(folder, this.fileName), this.top);
    if (text === undefined) return this;
    const matcher = newMatcher();
    if (this.matcher !== undefined) matcher.add(this.matcher);
    matcher.add(patternsFrom(asBytes(text), asBytes(this.#below(folder))));
    return new IgnoreRules(this.top, this.fileName, matcher);
  }

  #below(path: string): string {
    // path.relative is too slow here: this runs for every file of the project.
    const below = path.slice(this.top.endsWith(sep) ? this.top.length : this.top.length + 1);
    return sep === '/' ? below : below.split(sep).join('/');
  }

  /** Whether the rules exclude this path itself. The caller tests the folders above it first. */
  excludes(path: string, isFolder: boolean): boolean {
    if (this.matcher === undefined) return false;
    const name = asBytes(this.#below(path));
    return this.matcher.ignores(isFolder ? `${name}/` : name);
  }
}

const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * One character per byte of UTF-8: git compares bytes, so `?` matches half of an `ü`. On macOS git sees names in form
 * NFC, independent of the file system.
 */
function asBytes(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  const formed = process.platform === 'darwin' ? text.normalize('NFC') : text;
  return Buffer.from(formed, 'utf8').toString('latin1');
}

export function newMatcher(): Ignore {
  return ignore({ ignorecase: IGNORE_CASE });
}

/** The patterns of an ignore file, rewritten for the top. @param below the file's folder relative to the top, with `/` */
function patternsFrom(text: string, below: string): string[] {
  const lines = text.replace(/^(?:\ufeff|\xef\xbb\xbf)/, '').split(/\r?\n/);
  if (below === '') return lines;
  const folder = below.replace(/[\\*?[]/g, '\\$&');
  return lines.flatMap((line) => {
    if (line.startsWith('#') || line.trim() === '') return [];
    const negative = line.startsWith('!');
    const pattern = negative ? line.slice(1) : line;
    const body = pattern.replace(/(?<!\\) +$/, '').replace(/\/$/, '');
    if (body === '') return [];
    const anchored = body.includes('/');
    const rest = pattern.replace(/^\//, '');
    return [`${negative ? '!' : ''}/${folder}/${anchored ? '' : '**/'}${rest}`];
  });
}

/**
 * The repository that contains a folder, found as git does: by `.git` in the folder or above it.
 *
 * @returns the folder with `.git`, and the text of `info/exclude`
 */
export function repositoryOf(folder: string): { top: string; exclude: string | undefined } | undefined {
  for (let top = folder; ; top = dirname(top)) {
    const mark = lstatSync(join(top, '.git'), { throwIfNoEntry: false });
    if (mark !== undefined) {
      const gitFolder = mark.isFile() ? linkedGitFolder(top) : join(top, '.git');
      const exclude =
        gitFolder === undefined ? undefined : readSmallFile(join(gitFolder, 'info', 'exclude'), gitFolder);
      return { top, exclude };
    }
    if (dirname(top) === top) return undefined;
  }
}

/** In a worktree or a submodule `.git` is a file that names the folder. Worktrees share `info` with the first one. */
function linkedGitFolder(top: string): string | undefined {
  const target = /^gitdir: (.+?)\r?\n?$/.exec(readSmallFile(join(top, '.git'), top) ?? '')?.[1];
  if (target === undefined) return undefined;
  const gitFolder = resolve(top, target);
  const common = readSmallFile(join(gitFolder, 'commondir'), gitFolder)?.trim();
  return common === undefined || common === '' ? gitFolder : resolve(gitFolder, common);
}

/**
 * Undefined when it does not exist, is not a regular file (git does not follow links either) or is very large.
 *
 * @throws ReplacedFolder, or the file system's error
 */
export function readSmallFile(path: string, root: string): string | undefined {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  const { stat, head } = readInProject(path, root, MOST_BYTES);
  return stat.isFile() && stat.size <= MOST_BYTES ? head.toString('utf8') : undefined;
}
