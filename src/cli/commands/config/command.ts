import { createCommand } from '../../app/options.js';
import { lazily, lazilyBare } from '../../app/runner.js';

const EXAMPLES = `
Without a command, config shows the settings. set and unset change the file;
comments, order and all other values stay. A value that is not allowed changes
nothing. docs/configuration.md lists the settings.

Examples:
  mempalace config show --origin   current settings and their origins
  mempalace config set search.limit 10
  mempalace config unset search.limit
  mempalace config path            path of the configuration file`;

export const config = createCommand('config', 'Show the current settings')
  .addCommand(
    createCommand('show', 'Show the current settings')
      .option('--origin', 'show the origin of each setting')
      .action(lazily(async () => (await import('./run.js')).showConfig)),
    { isDefault: true },
  )
  .addCommand(
    createCommand('set', 'Change a setting in the configuration file')
      .argument('<setting>', 'its name, such as search.limit')
      .argument('<value...>', 'the value; for a list, all of its values')
      .action(lazily(async () => (await import('./change.js')).setSetting)),
  )
  .addCommand(
    createCommand('unset', 'Remove a setting from the configuration file')
      .argument('<setting>', 'its name, such as search.limit')
      .action(lazily(async () => (await import('./change.js')).unsetSetting)),
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
