import { resolve } from 'node:path';
import { messageOf, UserError } from '../../core/errors.js';
import { reinstallCure } from '../../maintenance/doctor/cure.js';
import { inPackage } from '../../platform/in-package.js';

const ROOT = resolve(inPackage(''));

/** What better-sqlite3 and sqlite-vec say when the file they load is not there; neither sets a code. */
const MISSING_FILE =
  /^Could not locate the bindings file|^Loada?ble extension for sqlite-vec not found|vec0\.(?:so|dylib|dll)/;

/**
 * An error that says that the packages are not there whole, or were built for another Node: what to do is
 * the same for all of them. Looks behind an error at its causes, too.
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
