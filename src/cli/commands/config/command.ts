import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { PAGE_SETTINGS, rowOf } from '../../../config/table.js';
import type { Document } from '../../../rest/documents.js';
import { plain } from '../../../terminal/terminal.js';
import { type CommonFlags, createCommand } from '../../app/options.js';
import { action, type BareContext, bareAction, type CommandContext, lazily } from '../../app/runner.js';

const EXAMPLES = `
Without a command, config shows the settings. set and unset change the file;
comments, order and all other values stay. A value that is not allowed changes
nothing. docs/configuration.md lists the settings.

Examples:
  mempalace config show --origin   current settings and their origins
  mempalace config set search.limit 10
  mempalace config unset search.limit
  mempalace config path            path of the configuration file`;

export const command = createCommand('config', 'Show the current settings')
  .addCommand(
    createCommand('show', 'Show the current settings')
      .option('--origin', 'show the origin of each setting')
      .action(action(showConfig)),
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
  .addCommand(createCommand('path', 'Print the path of the configuration file').action(bareAction(showPath)))
  .addCommand(
    createCommand('schema', 'Print the JSON schema of the configuration file').action(bareAction(showSchema)),
  )
  .addHelpText('after', EXAMPLES);

async function showConfig(
  context: CommandContext,
  { origin = false }: CommonFlags & { origin?: boolean },
): Promise<void> {
  const { terminal, config } = context;
  const { asYaml } = await import('../../../config/show.js');
  terminal.json(await configDocument(context));
  terminal.data(plain(asYaml(config, { origins: origin })));
}

async function showSchema({ terminal }: BareContext): Promise<void> {
  const { jsonSchema } = await import('../../../config/schema.js');
  terminal.io.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
}

async function showPath({ terminal, env, folders }: BareContext): Promise<void> {
  const path = configPath(env, folders);
  const exists = existsSync(path);
  terminal.json({ path, exists });
  terminal.data(plain(path));
  if (!exists && !terminal.options.json) terminal.note('the file does not exist yet');
}

/** The settings that apply here, with their origins. */
export async function configDocument({ config, env, folders }: CommandContext): Promise<Document<'config'>> {
  const { asFile } = await import('../../../config/show.js');
  const path = configPath(env, folders);
  return {
    file: { path, exists: existsSync(path) },
    settings: asFile(config),
    origins: Object.fromEntries(config.origins),
    on_page: PAGE_SETTINGS.map((key) => ({ key, choices: rowOf(key).choices?.slice() ?? null })),
  };
}
