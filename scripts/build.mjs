// Compiles src/ to a clean dist/: a file that left src/ must not live on as a command. The new one takes the
// old one's place only when it compiled, since installed links point into it. Beside the code lie the commit it is
// built from, and man pages and completions made from the command tree.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensureNative } from './native.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
const fresh = join(root, 'dist.new');

ensureNative();
rmSync(fresh, { recursive: true, force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.json'), '--outDir', fresh], {
  stdio: 'inherit',
  cwd: root,
});
if (status !== 0) {
  rmSync(fresh, { recursive: true, force: true });
  process.exit(1);
}
const commit = git('describe', '--always', '--abbrev=7', '--dirty', '--exclude=*');
if (commit !== '') writeFileSync(join(fresh, 'commit'), `${commit}\n`);
const { writeSharedFiles } = await import(pathToFileURL(join(fresh, 'cli', 'reference', 'write.js')).href);
writeSharedFiles(join(fresh, 'share'), pageDate());
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(fresh, join(root, 'dist'));

/** What git says of this checkout; nothing without git, and of no repository that only lies around this folder. */
function git(...args) {
  if (!existsSync(join(root, '.git'))) return '';
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')));
  const { status, stdout } = spawnSync('git', args, { cwd: root, env, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}

/** The date on the man pages: the same sources give the same pages. */
function pageDate() {
  const { SOURCE_DATE_EPOCH = '' } = process.env;
  if (/^\d+$/.test(SOURCE_DATE_EPOCH)) return new Date(Number(SOURCE_DATE_EPOCH) * 1000);
  const read = (file) => readFileSync(join(root, file), 'utf8');
  const { version } = JSON.parse(read('package.json'));
  const heading = new RegExp(`^## \\[?${version}\\]? - (\\d{4}-\\d{2}-\\d{2})`, 'm');
  const released = heading.exec(read('CHANGELOG.md'))?.[1];
  const committed = git('log', '-1', '--format=%cI');
  return new Date(released ?? (committed || statSync(join(root, 'package.json')).mtimeMs));
}
