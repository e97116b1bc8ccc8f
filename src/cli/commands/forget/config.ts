import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import type { Forgettable } from '../../../core/forgotten.js';
import type { ForgetFlags } from './command.js';

/**
 * What is to be forgotten; undefined with --list.
 *
 * @throws UserError `usage`
 */
export function whatOf(flags: ForgetFlags): Forgettable | undefined {
  const { source, session, wing, run, list = false, allowAgain = false } = flags;
  const given = [source, session, wing, run].filter((value) => value !== undefined).length;
  if (list ? given > 0 || allowAgain : given !== 1) {
    const several = given > 0 ? ', and only one' : '';
    throw new UserError('usage', `one of --source, --session, --wing, --run and --list is needed${several}`, {
      hint: 'mempalace forget --help describes them',
    });
  }
  if (list || allowAgain)
    for (const [name, value] of [
      ['--backups', flags.backups],
      ['--preview', flags.preview],
    ] as const)
      if (value !== undefined && value !== false)
        throw new UserError('usage', `${name} is for erasing: not with --list or --allow-again`);
  if (list) return undefined;
  return { source, session, wing, run, paths: source === undefined ? [] : [resolve(source)] };
}
