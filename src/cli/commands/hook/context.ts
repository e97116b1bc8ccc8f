import { sep } from 'node:path';
import { wakeUpAsked } from '../../../presentation/wake-up.js';
import { wakeUp as woken } from '../../../service/sqlite/waking.js';
import { Palace, palaceExists } from '../../../store/index.js';
import type { Starting } from './resume.js';

/** Readers do not wait for runs, and an agent should not wait for any other lock. */
const PALACE_MS = 250;

/**
 * The wake-up text for a session in the folder `cwd`: from the wing of its project, else from the whole palace.
 * Undefined if there is no palace.
 *
 * @param resumed lines about the state of a session, which precede it within its budget
 * @throws UserError as `Palace.read` does
 */
export function hookContext(
  { palace: folder, input: { cwd }, config }: Pick<Starting, 'palace' | 'input' | 'config'>,
  resumed: readonly string[] = [],
): string | undefined {
  if (!palaceExists(folder)) return undefined;
  const palace = Palace.read(folder, { waitMs: PALACE_MS, migrate: false });
  try {
    const project = palace.projects
      .all()
      .filter(({ root }) => cwd === root || cwd?.startsWith(root + sep))
      .sort((one, other) => other.root.length - one.root.length)[0];
    const wakeUp = (wing: string | undefined) =>
      woken(palace, wakeUpAsked(config, { wing, tokens: config.wakeUp.tokens }).input, resumed);
    const own = project === undefined ? undefined : wakeUp(project.wing);
    return own !== undefined && own.holdings.length > 0 ? own.text : wakeUp(undefined).text;
  } finally {
    palace.close();
  }
}
