import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { shellQuoted } from '../../platform/shell-quoted.js';

/** As in README: npm 12 builds better-sqlite3 only when allowed, and ONNX Runtime must not download CUDA. */
const INSTALL_PACKAGE =
  'ONNXRUNTIME_NODE_INSTALL=skip npm i -g --allow-scripts=better-sqlite3 ./mempalace-toolkit-*.tgz';

/** False for an installed npm package. */
export function isCheckout(root: string): boolean {
  return existsSync(join(root, 'install.sh'));
}

export function rebuildCure(root: string): string {
  return isCheckout(root)
    ? `run ./install.sh in ${root}`
    : `npm rebuild --allow-scripts=better-sqlite3 better-sqlite3 (in ${root})`;
}

export function reinstallCure(root: string): string {
  return isCheckout(root) ? `run ./install.sh in ${root}` : `${INSTALL_PACKAGE} (README.md)`;
}

/** Adds the folder of the links to PATH; for a package, only in the current terminal. */
export function pathCure(root: string, folder: string): string {
  return isCheckout(root)
    ? `./install.sh --path (in ${root}), then open a new terminal`
    : `export PATH=${shellQuoted(folder)}:"$PATH"`;
}

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
