import { existsSync } from 'node:fs';
import { configPath, loadConfig } from '../../config/index.js';
import { UserError } from '../../core/errors.js';
import type { DoctorContext } from './context.js';
import { type Finding, fail, ok } from './finding.js';

/**
 * The configuration file. A malformed one is a finding; the other checks go on with the defaults.
 *
 * @throws UserError `usage` for a flag
 */
export async function checkConfiguration(context: DoctorContext): Promise<Finding[]> {
  const { env, folders, palaceFlag } = context;
  const path = configPath(env, folders);
  try {
    context.config = await loadConfig({ env, folders, flags: { palace: palaceFlag } });
    context.palace = context.config.palace;
    return [ok('configuration', existsSync(path) ? path : `none at ${path}: the defaults hold`)];
  } catch (error) {
    if (!(error instanceof UserError) || error.code !== 'config') throw error;
    return [
      fail(
        'configuration',
        error.message,
        `correct it: ${error.hint ?? 'mempalace config schema shows how'}`,
      ),
    ];
  }
}
