// Compiles src/ to a clean dist/, without files that were removed from src/, and joins the modules that programs load at
// start (join.mjs). The new dist/ replaces the old one only after it compiled, since installed links point into it. Next to
// the code are the page (join-page.mjs), the commit of the build, the list of the MCP tools, the manifest of all commands, and man
// pages and completions from the command tree.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { noteSources } from './built-from.mjs';
import { joinModules } from './join.mjs';
import { joinPage } from './join-page.mjs';
import { ensureNative } from './native.mjs';
import { commitOf, dateOf } from './origin.mjs';

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
const commit = commitOf(root);
if (commit !== '') writeFileSync(join(fresh, 'commit'), `${commit}\n`);
const { builtPrograms, sharedFiles } = await import(
  pathToFileURL(join(fresh, 'cli', 'reference', 'index.js')).href
);
for (const [path, text] of await sharedFiles(dateOf(root))) {
  const file = join(fresh, 'share', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
writeFileSync(join(fresh, 'commands.json'), JSON.stringify(await builtPrograms()));
const { builtTools } = await import(pathToFileURL(join(fresh, 'mcp', 'tool-table.js')).href);
writeFileSync(join(fresh, 'tools.json'), JSON.stringify(builtTools()));
await joinModules(fresh);
await joinPage(join(fresh, 'page'));
noteSources(fresh);
rmSync(join(root, 'dist'), { recursive: true, force: true });
renameSync(fresh, join(root, 'dist'));
