import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuoted } from '../../platform/shell-quoted.js';

/** As README has it: npm 12 builds better-sqlite3 only when it is allowed to, and ONNX Runtime is to fetch no CUDA. */
const INSTALL_PACKAGE =
  'ONNXRUNTIME_NODE_INSTALL=skip npm i -g --allow-scripts=better-sqlite3 ./mempalace-toolkit-*.tgz';

/** A checkout installs and builds itself; a package was packed from one. */
export function isCheckout(root: string): boolean {
  return existsSync(join(root, 'install.sh'));
}

/** What rebuilds a native module for the Node in use. */
export function rebuildCure(root: string, module: string): string {
  return isCheckout(root)
    ? `run ./install.sh in ${root}`
    : `npm rebuild --allow-scripts=${module} ${module} (in ${root})`;
}

/** What brings a missing file or package back. */
export function reinstallCure(root: string): string {
  return isCheckout(root) ? `run ./install.sh in ${root}` : `${INSTALL_PACKAGE} (README.md)`;
}

/** What puts the folder of the links on PATH, in every terminal to come where that can be. */
export function pathCure(root: string, folder: string): string {
  return isCheckout(root)
    ? `./install.sh --path (in ${root}), then open a new terminal`
    : `export PATH=${shellQuoted(folder)}:"$PATH"`;
}

/** What brings a newer version. */
export function updateCure(root: string): string {
  return isCheckout(root)
    ? `./install.sh --update (in ${root})`
    : `pack the newer one, then ${INSTALL_PACKAGE}`;
}

/** How to apply a line that a shell's startup file already contains. */
export function newTerminal(file: string): string {
  const how = file.endsWith('profile') ? 'log in again' : 'open a new terminal';
  return `${how}: ${file} has the line`;
}
