import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import { resolveFolders } from '../../../platform/folders.js';
import { EXIT } from '../../app/exit.js';
import type { CommonFlags } from '../../app/options.js';
import type { BareContext, CommandContext } from '../../app/runner.js';
import { plain } from '../../terminal/terminal.js';

export interface ConfigFlags extends CommonFlags {
  origin?: boolean;
}

/** `mempalace config show`. Returns the exit code. */
export async function showConfig(
  flags: ConfigFlags,
  { terminal, config, env }: CommandContext,
): Promise<number> {
  const { asFile, asYaml } = await import('../../../config/show.js');
  if (terminal.options.json) {
    const path = configPath(env, resolveFolders(env));
    const file = { path, exists: existsSync(path) };
    terminal.json({ file, settings: asFile(config), origins: Object.fromEntries(config.origins) });
  } else {
    terminal.data(plain(asYaml(config, { origins: flags.origin === true })));
  }
  return EXIT.done;
}

/** `mempalace config path` and `mempalace config schema`, also when the file is malformed. Returns the exit code. */
export async function showConfigFile(
  what: string,
  flags: ConfigFlags,
  { terminal, env }: BareContext,
): Promise<number> {
  if (flags.origin === true) throw new UserError('usage', '--origin belongs to mempalace config show');
  if (what === 'schema') {
    const { jsonSchema } = await import('../../../config/schema.js');
    terminal.data(JSON.stringify(jsonSchema(), null, 2));
    return EXIT.done;
  }
  const path = configPath(env, resolveFolders(env));
  const exists = existsSync(path);
  if (terminal.options.json) terminal.json({ path, exists });
  else terminal.data(plain(path));
  if (!exists && !terminal.options.json) terminal.note('there is no such file yet');
  return EXIT.done;
}
