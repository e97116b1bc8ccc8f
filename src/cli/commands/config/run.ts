import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { PAGE_SETTINGS, rowOf } from '../../../config/table.js';
import type { Document } from '../../../presentation/documents/index.js';
import { plain } from '../../../terminal/terminal.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext, CommandContext } from '../../app/runner.js';

/** `mempalace config show`. */
export async function showConfig(
  context: CommandContext,
  { origin = false }: CommonFlags & { origin?: boolean },
): Promise<void> {
  const { terminal, config } = context;
  const { asYaml } = await import('../../../config/show.js');
  terminal.json(await configDocument(context));
  terminal.data(plain(asYaml(config, { origins: origin })));
}

/** `mempalace config schema`. */
export async function showSchema({ terminal }: BareContext): Promise<void> {
  const { jsonSchema } = await import('../../../config/schema.js');
  terminal.io.stdout.write(`${JSON.stringify(jsonSchema(), null, 2)}\n`);
}

/** `mempalace config path`. */
export async function showPath({ terminal, env, folders }: BareContext): Promise<void> {
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
