import { realpathSync } from 'node:fs';

/** The path without symbolic links; undefined for a path that does not exist or is inaccessible. */
export function resolveLinks(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}
