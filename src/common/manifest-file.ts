import { lstatSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { MANIFEST_NAME, type Manifest, manifestSchema } from './manifest.js';

/**
 * The manifest of a staging folder, read without touching anything; undefined when there is none, when it
 * does not parse, or when it names a path outside its folder.
 */
export function readManifest(folder: string): Manifest | undefined {
  return parseManifest(readManifestText(folder));
}

/** The manifest's text as it lies there; undefined when it cannot be read. A link is not followed. */
export function readManifestText(folder: string): string | undefined {
  const file = join(folder, MANIFEST_NAME);
  try {
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** As `readManifest`, from its text. */
function parseManifest(text: string | undefined): Manifest | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed = manifestSchema.safeParse(JSON.parse(text));
    if (!parsed.success) return undefined;
    return parsed.data.sources.every((source) => isInside(source.path)) ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** A relative path, with `/`, that cannot leave the folder it is joined to. */
export function isInside(path: string): boolean {
  if (path.includes('\0') || (sep === '\\' && path.includes('\\'))) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
