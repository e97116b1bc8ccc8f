import { isAbsolute } from 'node:path';
import { resolveLinks } from '../platform/resolve-links.js';

/** Whether a configured program is ours: by its name alone, which PATH resolves, or by a path that leads to the same file. */
export function isSameProgram(configured: string, own: string): boolean {
  if (!isAbsolute(configured)) return true;
  const real = resolveLinks(configured);
  return configured === own || (real !== undefined && real === resolveLinks(own));
}
