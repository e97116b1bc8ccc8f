import { createCommand } from '../../app/options.js';
import { lazily, lazilyBare } from '../../app/runner.js';

const EXAMPLES = `
Without a command, config shows the settings.

Examples:
  mempalace config show --origin   what is in force, and why
  mempalace config path            where the file is looked for`;

export const config = createCommand('config', 'Show the settings in force and where each comes from')
  .addCommand(
    createCommand('show', 'Show the settings in force')
      .option('--origin', 'say of each setting where it comes from')
      .action(lazily(async () => (await import('./run.js')).showConfig)),
    { isDefault: true },
  )
  .addCommand(
    createCommand('path', 'Print the path of the configuration file').action(
      lazilyBare(async () => (await import('./run.js')).showPath),
    ),
  )
  .addCommand(
    createCommand('schema', 'Print the JSON schema of the configuration file').action(
      lazilyBare(async () => (await import('./run.js')).showSchema),
    ),
  )
  .addHelpText('after', EXAMPLES);
