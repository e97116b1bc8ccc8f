import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Writes watchdog_manifest_v1.jsonl into the folder: a line with the path of each
document, and its type and priority if its front matter or mempalace.yaml says
them. Lines that exist are not changed. mempalace-docs reads the file: a type
is a filter of search, and a priority affects the rank. docs/file-palace.md

Examples:
  mempalace manifest ~/palace --dry-run   show what would be added
  mempalace manifest ~/palace             add it`;

export const manifest = createCommand('manifest', 'List documents with types and priorities in a file')
  .argument('<dir>', 'the root of a project')
  .option('--dry-run', 'show what would be added; write nothing')
  .addHelpText('after', HELP);
export type ManifestFlags = FlagsOf<typeof manifest>;
manifest.action(lazily(async () => (await import('./run.js')).runManifest));
