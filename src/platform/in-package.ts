import { fileURLToPath } from 'node:url';

/**
 * The absolute path of a file or folder of this package; `''` is the package's folder, with a `/` at its end. Modules
 * are always two folders deep: in `src/<folder>`, `dist/<folder>`, or bundled in `dist/parts`.
 */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
