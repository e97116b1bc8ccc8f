import { sep } from 'node:path';
import type { Config } from '../../../config/index.js';
import { wakeUpOf } from '../../../presentation/wake-up.js';
import { Palace, palaceExists } from '../../../store/index.js';

/** Readers do not wait for runs; for what else holds a palace a harness is not made to wait. */
const PALACE_MS = 250;

/**
 * What an agent should know that starts in the folder `cwd`: of the wing that holds the project it works in, else of
 * everything. Undefined where there is no palace.
 *
 * @throws UserError as `Palace.read` does
 */
export function hookContext(folder: string, cwd: string | undefined, config: Config): string | undefined {
  if (!palaceExists(folder)) return undefined;
  const palace = Palace.read(folder, { waitMs: PALACE_MS, migrate: false });
  try {
    const project = palace.projects
      .all()
      .filter(({ root }) => cwd === root || cwd?.startsWith(root + sep))
      .sort((one, other) => other.root.length - one.root.length)[0];
    const told = (wing: string | undefined) =>
      wakeUpOf(palace, config, { wing, tokens: config.wakeUp.tokens }, () => undefined);
    const own = project === undefined ? undefined : told(project.wing);
    return own !== undefined && own.holdings.length > 0 ? own.text : told(undefined).text;
  } finally {
    palace.close();
  }
}
