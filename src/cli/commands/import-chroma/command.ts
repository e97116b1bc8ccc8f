import { createCommand, withFilingOptions } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
Reads chroma.sqlite3 of a MemPalace palace, and changes nothing there. What was
one file, one session or one entry becomes one source again, with its wing, room
and date; every text is redacted and embedded again. What was imported is found
by the ids that it had (mempalace show). Registry sentinels and closets are left
out, and so is what a feeder filed from its own file here. A second import adds
nothing. Try it with --dry-run first.

Examples:
  mempalace import-chroma ~/old/palace --dry-run   what would be imported
  mempalace import-chroma ~/old/palace             import it`;

export const importChroma = withFilingOptions(
  createCommand('import-chroma', 'Import a palace of MemPalace (Python)')
    .argument('<palace>', 'its folder, or chroma.sqlite3 itself')
    .option('--collection <name>', 'where its drawers are not in mempalace_drawers')
    .option('--dry-run', 'say what would be done, touch nothing'),
)
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runImportChroma));
