// Loads the joined modules (join.mjs, which copies this file into each program) with the code that the build compiled: Node 20
// cannot cache compiled modules itself, and compiling takes a seventh of a search. It is CommonJS, since Node takes some
// milliseconds to prepare for ES modules.
const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const { Script } = require('node:vm');

const PARTS = join(__dirname, '..', 'parts');
const COMPILED = join(__dirname, '..', 'compiled');

/** @param {Buffer} [cachedData] V8 ignores that of another version, or of other flags */
function compile(filename, code, cachedData) {
  const parameters = 'exports, require, module, __filename, __dirname, importPackage';
  return new Script(`(function (${parameters}) {${code}\n})`, { filename, cachedData });
}

/** @param {string} part a file name in `../parts` */
function loadPart(part) {
  const file = join(PARTS, part);
  const known = require.cache[file];
  if (known !== undefined) return known.exports;
  const script = compile(file, codeOf(file), compiledCode(part));
  const module = { exports: {} };
  require.cache[file] = module;
  const run = script.runInThisContext();
  run.call(module.exports, module.exports, needed, module, file, PARTS, importPackage);
  return module.exports;
}

/** @throws Node's error for a missing module */
function codeOf(file) {
  try {
    // The build writes ASCII, so that V8 stores one byte per character.
    return readFileSync(file, 'latin1');
  } catch (error) {
    require.resolve(file);
    throw error;
  }
}

const needed = (id) => (id.startsWith('./') ? loadPart(id.slice(2)) : require(id));

/** `import()` in a script with compiled code fails in Node 20. */
const importPackage = async (id) => (id.startsWith('node:') ? require(id) : import(id));

/** Undefined in an npm package: it would only fit one version of Node. */
function compiledCode(part) {
  try {
    return readFileSync(join(COMPILED, part));
  } catch {
    return undefined;
  }
}

exports.compile = compile;
