import { existsSync } from 'node:fs';
import { removeSetting, settingNamed, settingOf, writeSetting } from '../../config/change.js';
import { configPath, loadConfig } from '../../config/index.js';
import { valueAt } from '../../config/settings.js';
import { asFile } from '../../config/show.js';
import { PAGE_SETTINGS, rowOf } from '../../config/table.js';
import type { Document } from '../../rest/documents.js';
import { line, plain } from '../../terminal/terminal.js';
import { runningBroker } from '../app/broker.js';
import { type CommonFlags, createCommand } from '../app/options.js';
import { action, type BareContext, bareAction, type CommandContext } from '../app/runner.js';

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
      .action(action(setSetting)),
  )
  .addCommand(
    createCommand('unset', 'Remove a setting from the configuration file')
      .argument('<setting>', 'its name, such as search.limit')
      .action(action(unsetSetting)),
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
  const { asYaml } = await import('../../config/show.js');
  terminal.json(await configDocument(context));
  terminal.data(plain(asYaml(config, { origins: origin })));
}

async function showSchema({ terminal }: BareContext): Promise<void> {
  const { jsonSchema } = await import('../../config/schema.js');
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
  const { asFile } = await import('../../config/show.js');
  const path = configPath(env, folders);
  return {
    file: { path, exists: existsSync(path) },
    settings: asFile(config),
    origins: Object.fromEntries(config.origins),
    on_page: PAGE_SETTINGS.map((key) => ({ key, choices: rowOf(key).choices?.slice() ?? null })),
  };
}

type Setting = Document<'configChanged'>['value'];

async function setSetting(
  context: CommandContext,
  _: CommonFlags,
  name: string,
  values: string[],
): Promise<void> {
  const { folders } = context;
  const key = settingNamed(name);
  await report(context, key, await writeSetting(context, key, settingOf(key, values, folders.home)));
}

async function unsetSetting(context: CommandContext, _: CommonFlags, name: string): Promise<void> {
  const key = settingNamed(name);
  await report(context, key, await removeSetting(context, key));
}

type Change = Awaited<ReturnType<typeof writeSetting>>;

async function report(context: CommandContext, key: string, change: Change): Promise<void> {
  const { terminal, env, folders } = context;
  const { file, changed } = change;
  const now = await loadConfig({ env, folders });
  const origin = now.origins.get(key) ?? 'default';
  const document = {
    key,
    file,
    changed,
    former: change.former as Setting,
    value: change.value as Setting,
    in_force: (valueAt(asFile(now), key) ?? null) as Setting,
    origin,
  };
  terminal.json(document);
  const { former, value, in_force } = document;
  if (value === null) {
    const where = line(file);
    terminal.say(
      changed ? `${key} is removed from ${where}, was ${shown(former)}` : `${key} is not in ${where}`,
    );
    terminal.say(`in force: ${shown(in_force)} (${line(origin)})`);
  } else {
    const before = changed && former !== null ? `, was ${shown(former)}` : '';
    terminal.say(`${key} is ${changed ? 'now' : 'already'} ${shown(value)} in ${line(file)}${before}`);
    if (!origin.startsWith(`${file}:`))
      terminal.warn(`${line(origin)} sets ${shown(in_force)} and overrides the file`);
  }
  if (changed && (await runningBroker(context)) !== undefined)
    terminal.note('the broker goes on with the settings that it started with: mempalace broker stop ends it');
}

const shown = (value: Setting): string => line(typeof value === 'string' ? value : JSON.stringify(value));
