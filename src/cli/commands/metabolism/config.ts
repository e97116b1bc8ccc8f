import { UserError } from '../../../core/errors.js';
import type { Output } from '../../../core/metabolism.js';
import { metabolismAsked } from '../../../presentation/metabolism.js';
import type { CommonFlags } from '../../app/options.js';

export interface MetabolismFlags extends CommonFlags {
  leastUses?: number;
  oldDays?: number;
  apply?: string;
  as?: Output;
  into?: string;
  interactive?: boolean;
}

/**
 * @param now epoch milliseconds
 * @throws UserError `usage` for flags that exclude each other
 */
export function metabolismConfig(flags: MetabolismFlags, cold: readonly string[], now: number) {
  const { leastUses, oldDays, apply, interactive = false } = flags;
  if (apply !== undefined && interactive)
    throw new UserError('usage', '--apply does one step, --interactive asks for each: give one of them');
  if (apply === undefined && !interactive && (flags.as ?? flags.into) !== undefined)
    throw new UserError('usage', '--as and --into are for --apply and --interactive');
  const input = metabolismAsked({ leastUses, oldDays }, cold, now);
  return { input, apply, interactive, as: flags.as, into: flags.into };
}
