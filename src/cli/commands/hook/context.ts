import { wakeUpAsked } from '../../../presentation/wake-up.js';
import { wakeUp } from '../../../service/sqlite/waking.js';
import { look } from './look.js';
import type { Starting } from './resume.js';

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
  return look(folder, (palace) => {
    const { input } = wakeUpAsked(config, { folder: cwd, tokens: config.wakeUp.tokens });
    return wakeUp(palace, input, resumed).text;
  });
}
