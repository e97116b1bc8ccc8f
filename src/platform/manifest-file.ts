import { lstatSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { MANIFEST_NAME, type Manifest, manifestSchema } from '../core/contract.js';
import { jsonPieces } from './json-list.js';

/** The manifest of a staging folder; undefined when it is missing, invalid, or names a path outside its folder. */
export function readManifest(folder: string): Manifest | undefined {
  const bytes = readManifestBytes(folder);
  return bytes === undefined ? undefined : parseManifest(bytes);
}

/** Undefined when the manifest cannot be read. A link is not followed. */
export function readManifestBytes(folder: string): Buffer | undefined {
  const file = join(folder, MANIFEST_NAME);
  try {
    return lstatSync(file).isFile() ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}

function parseManifest(bytes: Buffer): Manifest | undefined {
  try {
    const { rest, items } = jsonPieces(bytes, 'sources');
    const manifest = manifestSchema.parse(rest);
    for (const item of items()) {
      const source = manifestSchema.shape.sources.element.parse(item);
      if (!isInside(source.path)) return undefined;
      manifest.sources.push(source);
    }
    return manifest;
  } catch {
    return undefined;
  }
}

/** Whether a relative path, with `/`, stays inside the folder it is joined to. */
export function isInside(path: string): boolean {
  if (path.includes('\0') || (sep === '\\' && path.includes('\\'))) return false;
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
}
