// Joins the modules of page/ into one file for browsers, next to its other files and the licences of its libraries.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundler, licenceOf } from './join.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const PAGE = join(ROOT, 'page');
/** In this order. */
const STYLES = ['page.css', 'reading.css'];
const LIBRARIES = [
  ...['@tanstack/virtual-core', 'preact', 'stemmer'],
  ...['markdown-it', 'entities', 'linkify-it', 'mdurl', 'punycode.js', 'uc.micro'],
];

/**
 * Where the bundler does not run, there is no page, and `mempalace ui` says so.
 *
 * @throws Error when an import is missing
 */
export async function joinPage(folder) {
  const rolldown = await bundler();
  if (rolldown === undefined) return;
  mkdirSync(folder, { recursive: true });
  const bundle = await rolldown({
    input: join(PAGE, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(PAGE, 'tsconfig.json'),
  });
  await bundle.write({ file: join(folder, 'page.js'), format: 'esm', minify: true });
  await bundle.close();
  for (const file of ['index.html', 'icon.svg']) copyFileSync(join(PAGE, file), join(folder, file));
  const styles = STYLES.map((file) => readFileSync(join(PAGE, file), 'utf8'));
  writeFileSync(join(folder, 'page.css'), styles.join('\n'));
  for (const name of LIBRARIES)
    copyFileSync(licenceOf(name), join(folder, `${name.replace('/', '-')}.LICENSE`));
}
