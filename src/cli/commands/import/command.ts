import { createCommand, type FlagsOf, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Existing sources are kept, unless the export has a newer version; forgotten
sources stay forgotten. Nothing is embedded: a palace with vectors must use the
same model. A source that contains secrets is held back.

Examples:
  mempalace import palace.jsonl                     into the palace
  mempalace import palace.jsonl --palace ~/other    into another palace`;

export const importCommand = createCommand('import', 'Import a file made by mempalace export --jsonl')
  .argument('<file>', 'the export')
  .option('--no-redact', 'also import sources with secrets (search will find them)')
  .addOption(waitOption())
  .addHelpText('after', HELP);
export type ImportFlags = FlagsOf<typeof importCommand>;
importCommand.action(lazily(async () => (await import('./run.js')).runImport, { here: true }));
