import { join, resolve } from 'node:path';
import { resolveFolders } from '../platform/folders.js';

/** The folder of pulled models: `$MEMPALACE_MODELS`, else `mempalace/models` below the XDG data folder. */
export function modelsFolder(env: NodeJS.ProcessEnv): string {
  const own = env.MEMPALACE_MODELS;
  return own ? resolve(own) : join(resolveFolders(env).data, 'mempalace', 'models');
}
