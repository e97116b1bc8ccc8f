import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform, performBare } from '../../app/runner.js';
import type { ConfigFlags } from './run.js';

const EXAMPLES = `
Examples:
  mempalace config show --origin   what is in force, and why
  mempalace config path            where the file is looked for`;

export const config = createCommand('config', 'Show the settings in force and where each comes from')
  .addArgument(
    new Argument('[what]', 'the settings, the path of the configuration file, or its JSON schema')
      .choices(['show', 'path', 'schema'])
      .default('show'),
  )
  .option('--origin', 'say of each setting where it comes from')
  .addHelpText('after', EXAMPLES)
  .action((what: string, flags: ConfigFlags) =>
    what === 'show'
      ? perform(flags, async (context) => (await import('./run.js')).showConfig(flags, context))
      : performBare(flags, async (context) =>
          (await import('./run.js')).showConfigFile(what, flags, context),
        ),
  );
