import { join } from 'node:path';
import { UserError } from '../../core/errors.js';
import { readProjectConfig } from '../../feeders/docs/config.js';
import { refuseRoot } from '../../feeders/docs/root.js';
import {
  readWatchdogManifest,
  WATCHDOG_NAME,
  withMissingLines,
  writeWatchdogManifest,
} from '../../feeders/docs/watchdog-manifest.js';
import { plural } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';
import { EXIT } from '../app/exit.js';
import { createCommand, type FlagsOf } from '../app/options.js';
import { action, type ProgramContext } from '../app/runner.js';
import { rootOf, surveyed } from './init/command.js';

const HELP = `
Writes watchdog_manifest_v1.jsonl into the folder: a line with the path of each
document, and its type and priority if its front matter or mempalace.yaml says
them. Lines that exist are not changed. mempalace-docs reads the file: a type
is a filter of search, and a priority affects the rank. docs/file-palace.md

Examples:
  mempalace manifest ~/palace --dry-run   show what would be added
  mempalace manifest ~/palace             add it`;

export const command = createCommand('manifest', 'List documents with types and priorities in a file')
  .argument('<dir>', 'the root of a project')
  .option('--dry-run', 'show what would be added; write nothing')
  .addHelpText('after', HELP);
command.action(action(runManifest));

/** `mempalace manifest`. A wrong line of the user stays, and gives exit code 3. */
async function runManifest(
  context: ProgramContext,
  { dryRun = false }: FlagsOf<typeof command>,
  dir: string,
): Promise<number | undefined> {
  const { terminal, folders } = context;
  await refuseRoot(dir, folders.home, folders);
  const root = await rootOf(dir, folders, 'manifest');
  const file = join(root, WATCHDOG_NAME);
  const manifest = readWatchdogManifest(root);
  const { wrong, watched, skipped } = manifest;
  if (skipped !== undefined)
    throw new UserError('unreadable', `${file} cannot be read: ${skipped.detail ?? skipped.reason}`);
  const { documents } = await surveyed(root, context, await readProjectConfig(root));
  const { text, added } = withMissingLines(manifest, documents);
  const found = new Set(documents.map(({ relativePath }) => relativePath));
  const gone = [...watched.keys()].filter((path) => !found.has(path));

  const written = !dryRun && added.length > 0;
  if (written) writeWatchdogManifest(root, text);
  for (const each of wrong) terminal.warn(`${line(file)}:${each.line}: ${each.reason}`);
  if (gone.length > 0)
    terminal.note(
      `${plural(gone.length, 'line')} of no document: ${gone.slice(0, 3).map(line).join(', ')}${gone.length > 3 ? ', …' : ''}`,
    );
  for (const path of dryRun ? added : []) terminal.say(`would add ${line(path)}`);
  terminal.say(
    `${line(file)}: ${watched.size - gone.length} kept, ${added.length} ${dryRun ? 'to add' : 'added'}`,
  );
  context.answer({ file, listed: watched.size, added, gone, wrong, written });
  return wrong.length > 0 ? EXIT.incomplete : undefined;
}
