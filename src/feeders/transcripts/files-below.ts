import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/**
 * Absolute paths of the files that match the patterns (fast-glob), sorted. Links to folders and files are followed: a file
 * that is reached in several ways is returned once, by its own path if that is below the folder. Folders that cannot be
 * read, links without a target, and links to a folder above are left out.
 */
export async function filesBelow(folder: string, patterns: string[]): Promise<string[]> {
  const { default: glob } = await import('fast-glob');
  const root = realPath(folder);
  if (root === undefined) return [];
  const seen = new Set<string>();
  const links = new Set<string>();
  const readdir = (path: string) => {
    const real = realpathSync.native(path);
    if (seen.has(real) || (real !== root && isWithin(root, real))) return [];
    seen.add(real);
    const entries = readdirSync(path, { withFileTypes: true });
    for (const entry of entries) if (entry.isSymbolicLink()) links.add(join(path, entry.name));
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  };
  // Not asynchronous: which of two links is followed must not depend on the disk.
  const found = glob.sync(patterns, {
    cwd: folder,
    absolute: true,
    dot: true,
    suppressErrors: true,
    // It is called with the option `withFileTypes` only.
    fs: { readdirSync: readdir as unknown as typeof readdirSync },
  });
  const byFile = new Map<string, string>();
  const isLink = (path: string) => links.has(path);
  /** The real path of each folder, and its own path if it is below the root. */
  const folders = new Map<string, { real: string; own: string }>();
  const placed = (path: string): { real: string; own: string } => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const real = realPath(path) ?? path;
    const own = real === root || isWithin(real, root) ? join(folder, relative(root, real)) : path;
    folders.set(path, { real, own });
    return { real, own };
  };
  const paths = found.map((path) => path.split('/').join(sep)).sort();
  for (const path of [...paths.filter((each) => !isLink(each)), ...paths.filter(isLink)]) {
    const { real: realFolder, own } = placed(dirname(path));
    const real = isLink(path) ? realPath(path) : join(realFolder, basename(path));
    if (real !== undefined && !byFile.has(real)) byFile.set(real, join(own, basename(path)));
  }
  return [...byFile.values()].sort();
}

function isWithin(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Undefined for a link without a target, and in a circle. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}
