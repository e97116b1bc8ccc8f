import { fileURLToPath } from 'node:url';

/**
 * A file or folder of this package, absolute. Modules lie two folders deep wherever they run from: `src/<room>`,
 * `dist/<room>`, or joined in `dist/parts`.
 *
 * @param path from the package's folder on, with `/`; `''` is that folder, with a `/` at its end
 */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}
