// Loads the joined modules (join.mjs, which copies this file into each program) with the code that the build compiled: Node 20
// cannot cache compiled modules itself, and compiling takes a seventh of a search.
import { createRequire } from 'node:module';

// Importing a module of Node costs a millisecond more than requiring it.
const require = createRequire(import.meta.url);
const { readFileSync } = require('node:fs');
const { basename, dirname } = require('node:path');
const { fileURLToPath } = require('node:url');
const { Script } = require('node:vm');

/** @param {Buffer} [cachedData] V8 ignores that of another version, or of other flags */
export function compile(filename, code, cachedData) {
  const parameters = 'exports, require, module, __filename, __dirname, importPackage';
  return new Script(`(function (${parameters}) {${code}\n})`, { filename, cachedData });
}

/** @param {string} part of `../parts` */
export function loadPart(part) {
  return exportsOf(fileURLToPath(new URL(`../parts/${part}`, import.meta.url)));
}

function exportsOf(file) {
  const require = createRequire(file);
  const known = require.cache[file];
  if (known !== undefined) return known.exports;
  // The build writes ASCII, so that V8 stores one byte per character.
  const script = compile(file, readFileSync(file, 'latin1'), compiledCode(basename(file)));
  const module = { exports: {} };
  require.cache[file] = module;
  const needed = (id) => (id.startsWith('.') ? exportsOf(require.resolve(id)) : require(id));
  const run = script.runInThisContext();
  run.call(module.exports, module.exports, needed, module, file, dirname(file), importPackage);
  return module.exports;
}

/** `import()` in a script with compiled code fails in Node 20. */
const importPackage = async (id) => (id.startsWith('node:') ? require(id) : import(id));

/** Undefined in an npm package: it would only fit one version of Node. */
function compiledCode(part) {
  try {
    return readFileSync(new URL(`../compiled/${part}`, import.meta.url));
  } catch {
    return undefined;
  }
}
