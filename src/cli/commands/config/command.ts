import { createCommand } from '../../app/options.js';
import { lazily, lazilyBare } from '../../app/runner.js';

const EXAMPLES = `
Without a command, config shows the settings.

Examples:
  mempalace config show --origin   current settings and their origins
  mempalace config path            path of the configuration file`;

export const config = createCommand('config', 'Show the current settings')
  .addCommand(
    createCommand('show', 'Show the current settings')
      .option('--origin', 'show the origin of each setting')
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
