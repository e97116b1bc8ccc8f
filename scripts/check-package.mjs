// The required content of the package: every file in package.json, executable launchers, and every file that they and the
// programs read. Uses `npm pack`; needs a build.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { bin, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Not in package.json, but required at run time. */
const READ = [
  'package.json',
  'bin/package.json',
  'README.md',
  'LICENSE',
  'scripts/launch.sh',
  'dist/cli/start.cjs',
  'dist/commands.json',
  'dist/tools.json',
  'models/use-lite/tokenizer.json',
  'models/use-lite/use-lite-int8.onnx',
  'models/use-lite/use-lite-w8.onnx',
];
/** Files of a build that the programs name: threads that they start. */
const STARTED = readdirSync(join(root, 'src'), { recursive: true })
  .filter((name) => name.endsWith('.ts'))
  .flatMap((name) => [...readFileSync(join(root, 'src', name), 'utf8').matchAll(/'(dist\/[\w/-]+\.c?js)'/g)])
  .map(([, path]) => path);
/** Only in the checkout: a package with install.sh would look like a checkout. */
const KEPT_OUT = /^(?:install\.sh|src\/|test\/|node_modules\/|\.node-path|\.npmrc)/;

const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
const packed = spawnSync('npm', args, { cwd: root, encoding: 'utf8' });
if (packed.status !== 0) {
  process.stderr.write(packed.stderr);
  process.exit(1);
}
const report = JSON.parse(packed.stdout);
// npm 12 prints an object by package name, other versions a list.
const [entry] = Array.isArray(report) ? report : Object.values(report);
const modes = new Map(entry.files.map(({ path, mode }) => [path, mode]));
const paths = [...modes.keys()];

/** `*` matches any name in one folder. */
const fits = (path, name) =>
  new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`).test(path);

const problems = [];
for (const path of [...Object.values(bin), ...READ, ...STARTED]) {
  if (!modes.has(path)) problems.push(`${path} is not in the package`);
}
for (const name of files) {
  if (!paths.some((path) => fits(path, name) || path.startsWith(`${name}/`)))
    problems.push(`${name}: no such file`);
}
for (const path of Object.values(bin)) {
  if (((modes.get(path) ?? 0) & 0o111) !== 0o111) problems.push(`${path} is not executable`);
}
for (const path of paths) if (KEPT_OUT.test(path)) problems.push(`${path} does not belong into the package`);

for (const problem of problems) console.error(problem);
console.log(`${paths.length} files, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
