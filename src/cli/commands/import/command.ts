import { createCommand, waitOption } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

const HELP = `
What is here already stays, unless the export has it newer; what was forgotten
here stays forgotten. Nothing is embedded: the palace must hold vectors of the
same model, or none yet. A source in which secrets are found is held back.

Examples:
  mempalace import palace.jsonl                     into the palace
  mempalace import palace.jsonl --palace ~/other    into another one`;

export const importCommand = createCommand('import', 'File what mempalace export --jsonl wrote')
  .argument('<file>', 'the export')
  .option('--no-redact', 'take sources with secrets in them, too (they will be found by search)')
  .addOption(waitOption())
  .addHelpText('after', HELP)
  .action(lazily(async () => (await import('./run.js')).runImport));
