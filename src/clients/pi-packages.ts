import { join, resolve } from 'node:path';
import { parseJson } from '../core/json.js';
import { textIfAny } from '../platform/read-text.js';
import { resolveLinks } from '../platform/resolve-links.js';

/** Whether pi's settings list an installation, by a path relative to them. @param folder pi's, with its settings */
export function isPackageOfPi(folder: string, root: string): boolean {
  const { packages } = Object(parseJson(textIfAny(join(folder, 'settings.json')) ?? ''));
  return (Array.isArray(packages) ? packages : []).some((each: unknown) => {
    const source = typeof each === 'string' ? each : Object(each).source;
    return typeof source === 'string' && resolveLinks(resolve(folder, source)) === resolveLinks(root);
  });
}
