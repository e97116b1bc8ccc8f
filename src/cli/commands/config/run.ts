import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext, CommandContext } from '../../app/runner.js';
import { plain } from '../../terminal/terminal.js';

/** `mempalace config show`. Returns the exit code. */
export async function showConfig(
  { terminal, config, env, folders }: CommandContext,
  { origin = false }: CommonFlags & { origin?: boolean },
): Promise<number> {
  const { asFile, asYaml } = await import('../../../config/show.js');
  if (terminal.options.json) {
    const path = configPath(env, folders);
    const file = { path, exists: existsSync(path) };
    terminal.json({ file, settings: asFile(config), origins: Object.fromEntries(config.origins) });
  } else {
    terminal.data(plain(asYaml(config, { origins: origin })));
  }
  return EXIT.done;
}

/** `mempalace config schema`. Returns the exit code. */
export async function showSchema({ terminal }: BareContext): Promise<number> {
  const { jsonSchema } = await import('../../../config/schema.js');
  terminal.data(JSON.stringify(jsonSchema(), null, 2));
  return EXIT.done;
}

/** `mempalace config path`. Returns the exit code. */
export function showPath({ terminal, env, folders }: BareContext): number {
  const path = configPath(env, folders);
  const exists = existsSync(path);
  if (terminal.options.json) terminal.json({ path, exists });
  else {
    terminal.data(plain(path));
    if (!exists) terminal.note('the file does not exist yet');
  }
  return EXIT.done;
}
