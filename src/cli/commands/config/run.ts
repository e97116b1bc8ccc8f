import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { plain } from '../../../terminal/terminal.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext, CommandContext } from '../../app/runner.js';
import { configDocument } from './document.js';

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
