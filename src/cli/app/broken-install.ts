import { resolve } from 'node:path';
import { messageOf, UserError } from '../../core/errors.js';
import { reinstallCure } from '../../maintenance/doctor/cure.js';
import { inPackage } from '../../platform/in-package.js';

const ROOT = resolve(inPackage(''));

/** Messages of better-sqlite3 and sqlite-vec for a missing file; neither sets a code. */
const MISSING_FILE =
  /^Could not locate the bindings file|^Loada?ble extension for sqlite-vec not found|vec0\.(?:so|dylib|dll)/;

/**
 * The error of an installation that is incomplete or was built for another Node, with one hint for all of them.
 * Also examines the causes of an error.
 */
export function brokenInstall(error: unknown, root = ROOT): UserError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) {
    const trouble = troubleOf(each);
    if (trouble !== undefined)
      return new UserError('failed', trouble, { hint: reinstallCure(root), cause: error });
  }
  return undefined;
}

function troubleOf(error: Error): string | undefined {
  const code = 'code' in error ? error.code : undefined;
  const [line = ''] = messageOf(error).split('\n');
  const first = line.replace(/\. Tried:$/, '');
  if (/NODE_MODULE_VERSION/.test(error.message)) {
    return `a native module was built for another Node than this ${process.version} (${process.execPath})`;
  }
  if (code === 'ERR_DLOPEN_FAILED') return `a native module does not load: ${first}`;
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return `a package is missing: ${first}`;
  return MISSING_FILE.test(first) ? `a native module is missing: ${first}` : undefined;
}
