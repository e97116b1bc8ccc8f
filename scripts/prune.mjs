// Removes files that an installation does not need at run time: packages for build and tests, ONNX Runtime's libraries
// for other systems, and the leftovers of compiling better-sqlite3. Its sources stay: another Node needs it compiled again.
// With --dry-run it prints the size. `npm ci` restores all of it.
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const MODULES = join(dirname(dirname(fileURLToPath(import.meta.url))), 'node_modules');
const LOCK = join(MODULES, '.package-lock.json');
const dry = process.argv.includes('--dry-run');

const namesIn = (folder) => (existsSync(folder) ? readdirSync(folder) : []);

/** Bytes on the disk below a path; a link counts as nothing. */
function sizeOf(path) {
  let bytes = 0;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(below);
    else if (entry.isFile()) bytes += statSync(below).size;
  }
  return bytes;
}

function take(path) {
  if (!existsSync(path)) return 0;
  const bytes = statSync(path).isDirectory() ? sizeOf(path) : statSync(path).size;
  if (!dry) rmSync(path, { recursive: true, force: true });
  return bytes;
}

/** Packages that the lockfile marks as development only. */
function developmentPackages() {
  const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
  const paths = Object.keys(lock.packages).filter((path) => lock.packages[path].dev === true);
  const bytes = paths.reduce((sum, path) => sum + take(join(MODULES, path.slice('node_modules/'.length))), 0);
  if (dry || paths.length === 0) return bytes;
  for (const path of paths) delete lock.packages[path];
  // The file may be a hard link: it is replaced, not written.
  writeFileSync(`${LOCK}.new`, `${JSON.stringify(lock, null, 2)}\n`);
  renameSync(`${LOCK}.new`, LOCK);
  for (const name of namesIn(MODULES).filter((each) => each.startsWith('@'))) {
    if (namesIn(join(MODULES, name)).length === 0) rmdirSync(join(MODULES, name));
  }
  for (const name of namesIn(join(MODULES, '.bin'))) {
    const link = join(MODULES, '.bin', name);
    if (!existsSync(link)) rmSync(link, { force: true });
  }
  return bytes;
}

function otherSystems() {
  const bin = join(MODULES, 'onnxruntime-node', 'bin');
  let bytes = 0;
  for (const version of namesIn(bin))
    for (const system of namesIn(join(bin, version)))
      for (const processor of namesIn(join(bin, version, system))) {
        if (system === process.platform && processor === process.arch) continue;
        bytes += take(join(bin, version, system, processor));
      }
  return bytes;
}

function compiled() {
  const build = join(MODULES, 'better-sqlite3', 'build');
  const release = join(build, 'Release');
  const others = (folder, kept) =>
    namesIn(folder)
      .filter((name) => name !== kept)
      .reduce((sum, name) => sum + take(join(folder, name)), 0);
  if (!existsSync(join(release, 'better_sqlite3.node'))) return 0;
  return others(build, 'Release') + others(release, 'better_sqlite3.node');
}

const parts = [
  ['packages for building and testing', developmentPackages()],
  ["ONNX Runtime's libraries for other systems", otherSystems()],
  ['what compiling better-sqlite3 left', compiled()],
].filter(([, bytes]) => bytes > 0);
if (parts.length > 0) {
  console.log(
    parts.map(([what, bytes]) => `${what} (${Math.max(1, Math.round(bytes / 1e6))} MB)`).join(', '),
  );
}
