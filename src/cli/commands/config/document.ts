import { existsSync } from 'node:fs';
import { configPath } from '../../../config/index.js';
import { PAGE_SETTINGS, rowOf } from '../../../config/table.js';
import type { Document } from '../../../presentation/documents/index.js';
import type { CommandContext } from '../../app/runner.js';

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
