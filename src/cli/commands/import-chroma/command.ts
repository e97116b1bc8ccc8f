import { createCommand, type FlagsOf, withFilingOptions } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Reads chroma.sqlite3 of a MemPalace palace without changing it. The drawers of a
file, a session or an entry become one source, with its wing, room and date. All
texts are redacted and embedded again. mempalace show also finds drawers by
their old ids. Registry sentinels and closets are omitted, as are texts that a
feeder filed here from their own file. A second import adds nothing. Try it with
--dry-run first.

Examples:
  mempalace import-chroma ~/old/palace --dry-run   what would be imported
  mempalace import-chroma ~/old/palace             import it`;

export const importChroma = withFilingOptions(
  createCommand('import-chroma', 'Import a palace of MemPalace (Python)')
    .argument('<palace>', 'its folder, or the file chroma.sqlite3')
    .option('--collection <name>', 'collection of its drawers, if not mempalace_drawers')
    .option('--dry-run', 'show the result without any change'),
).addHelpText('after', HELP);
export type ImportChromaFlags = FlagsOf<typeof importChroma>;
importChroma.action(lazily(async () => (await import('./run.js')).runImportChroma, { here: true }));
