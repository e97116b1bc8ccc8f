import type { Config } from '../../../config/index.js';
import { leftOut } from '../../../config/settings.js';

/** Which collection a command reads. */
export function whichOf(name: string, flags: { cold?: boolean }, { cold }: Config['search']) {
  return { name, without: flags.cold === true ? [] : leftOut(cold, {}), patient: true };
}
