import { startIn } from '../../../operations/wake-up/start.js';
import { wakeUp } from '../../../operations/wake-up/told.js';
import type { Look } from './look.js';
import type { Starting } from './resume.js';

export { Look } from './look.js';

/**
 * The wake-up text for a session in the folder `cwd`: from the wing of its project, else what is of that folder. Undefined if
 * there is no palace.
 *
 * @param resumed lines about the state of a session, which precede it within its budget
 * @throws UserError as `Palace.read` does
 */
export function hookContext(
  { palace }: Look,
  { input: { cwd }, config }: Pick<Starting, 'input' | 'config'>,
  resumed: readonly string[] = [],
): string | undefined {
  if (palace === undefined) return undefined;
  return wakeUp(palace, { ...startIn(cwd === undefined ? [] : [cwd], config), before: resumed }).text;
}
