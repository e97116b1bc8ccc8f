import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** A checkout installs and builds itself; a package came from npm. */
function isCheckout(root: string): boolean {
  return existsSync(join(root, 'install.sh'));
}

/** What builds a native module anew for the Node in use. */
export function rebuildCure(root: string, module: string): string {
  return isCheckout(root) ? `run ./install.sh (in ${root})` : `npm rebuild ${module} (in ${root})`;
}

/** What brings a missing file or package back. */
export function reinstallCure(root: string): string {
  return isCheckout(root) ? `run ./install.sh (in ${root})` : 'npm install -g mempalace-toolkit';
}

/** What brings a newer version. */
export function updateCure(root: string): string {
  return isCheckout(root) ? `git pull, then ./install.sh (in ${root})` : 'npm install -g mempalace-toolkit';
}

/** A path as a shell takes it, whatever is in it. */
export function shellQuoted(path: string): string {
  return /^[\w./~+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
