import { existsSync, lstatSync, statSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';
import { isErrno, messageOf, UserError } from '../../core/errors.js';
import { locate } from '../../platform/checkout.js';
import { CONFIG_NAME } from './config.js';

/**
 * The project that a folder belongs to: the nearest folder, from itself upwards, with a `.git` (folder or
 * file) or a `mempalace.yaml` (a regular file); the folder itself when there is none. Such marks do not count in the
 * home folder, above it, or in `/`: dotfiles in git do not make all of HOME one project. Marks of another user above
 * the folder, as in /tmp, do not count either. A linked worktree of git belongs to the project of its main checkout.
 *
 * @returns real paths; `folder` is relative to the root, with `/`, and undefined at the root itself
 */
export async function findProjectRoot(
  dir: string,
  home: string,
): Promise<{ root: string; folder: string | undefined }> {
  const start = inMainCheckout(await realpath(dir));
  const realHome = await realpathOrSelf(home);
  for (let root = start; !contains(root, realHome); root = dirname(root)) {
    if (!isProjectRoot(root) || (root !== start && isMarkedByAnother(root, start))) continue;
    const folder = relative(root, start).split(sep).join('/');
    return { root, folder: folder === '' ? undefined : folder };
  }
  return { root: start, folder: undefined };
}

/** The same folder of the main checkout, if a folder is in a linked worktree and the main checkout has it, too. */
function inMainCheckout(folder: string): string {
  const { worktree } = locate(folder) ?? {};
  if (worktree === undefined) return folder;
  const same = worktree.main + folder.slice(worktree.root.length);
  return statSync(same, { throwIfNoEntry: false })?.isDirectory() === true ? same : folder;
}

/** Whether a folder is a separate project. False for an unreadable folder. */
export function isProjectRoot(folder: string): boolean {
  if (existsSync(join(folder, '.git'))) return true;
  try {
    return lstatSync(join(folder, CONFIG_NAME), { throwIfNoEntry: false })?.isFile() === true;
  } catch (error) {
    if (isErrno(error, 'EACCES') || isErrno(error, 'EPERM')) return false;
    throw error;
  }
}

/** A mark counts only if this user, root, or the owner of the folder below it (a mounted project) owns it. */
function isMarkedByAnother(folder: string, below: string): boolean {
  const user = process.getuid?.();
  if (user === undefined) return false;
  const owners = new Set([user, 0, statSync(below).uid]);
  return ['.git', CONFIG_NAME].some((name) => {
    const stat = lstatSync(join(folder, name), { throwIfNoEntry: false });
    return stat !== undefined && !owners.has(stat.uid);
  });
}

/**
 * Refuses folders that cannot be projects: HOME, `/`, folders above HOME, and the folders of this program; also through
 * links.
 *
 * @throws UserError `usage`, or `not-found` when the folder does not exist
 */
export async function refuseRoot(
  dir: string,
  home: string,
  { palace, cache }: { palace?: string; cache?: string } = {},
): Promise<void> {
  const shown = JSON.stringify(dir);
  const refused = (why: string, hint = 'name the folder of one project') =>
    new UserError('usage', `${shown} ${why}`, { hint });
  let real: string;
  try {
    real = await realpath(dir);
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) {
      throw new UserError('not-found', `there is no folder ${shown}`);
    }
    throw new UserError('unreadable', `${shown} cannot be opened: ${messageOf(error)}`, { cause: error });
  }
  if (!statSync(real).isDirectory()) throw refused('is not a folder', 'name the folder that contains it');
  const realHome = await realpathOrSelf(home);
  if (real === parse(real).root) throw refused('is the whole file system');
  if (real === realHome) throw refused('is your home folder, not a project');
  if (contains(real, realHome)) throw refused('contains your home folder');
  if (palace !== undefined && contains(await realpathOrSelf(palace), real))
    throw refused('is the palace itself');
  if (cache === undefined) return;
  const names = ['mempalace-docs', 'mempalace-session', 'mempalace-import'];
  const roots = await Promise.all(names.map((name) => realpathOrSelf(join(cache, name))));
  if (real === (await realpathOrSelf(cache)) || roots.some((root) => contains(root, real))) {
    const cure = 'name the project itself; it is staged again if necessary';
    throw refused('is the staging cache: copies of filed documents', cure);
  }
}

/** True when `inner` is `outer` or is located below it. */
function contains(outer: string, inner: string): boolean {
  const path = relative(outer, inner);
  return path === '' || (path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path));
}

async function realpathOrSelf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return resolve(path);
  }
}
