import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import type { Forgettable } from '../../../maintenance/index.js';
import { parseCount } from '../../app/durations.js';
import type { CommonFlags } from '../../app/options.js';

/** Flags of `mempalace forget`, as commander hands them over. */
export interface ForgetFlags extends CommonFlags {
  source?: string;
  session?: string;
  wing?: string;
  run?: string;
  allowAgain?: boolean;
  list?: boolean;
  backups?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  wait: number;
}

export interface ForgetConfig {
  palace: string | undefined;
  /** Undefined: everything that is forgotten is to be listed. */
  what: Forgettable | undefined;
  allowAgain: boolean;
  /** Remove kept backups that hold it, instead of erasing it from them. */
  removeBackups: boolean;
  dryRun: boolean;
  yes: boolean;
  waitMs: number;
}

/** @throws UserError `usage` */
export function forgetConfig(flags: ForgetFlags): ForgetConfig {
  const { source, session, wing, run, list, allowAgain = false } = flags;
  const given = [source, session, wing, run].filter((value) => value !== undefined).length;
  if (list === true ? given > 0 || allowAgain : given !== 1) {
    const several = given > 0 ? ', and one only' : '';
    throw new UserError('usage', `one of --source, --session, --wing, --run and --list is needed${several}`, {
      hint: 'mempalace forget --help says what each of them means',
    });
  }
  if (flags.backups === true && (list === true || allowAgain))
    throw new UserError('usage', '--backups is for what is erased: not with --list or --allow-again');
  return {
    palace: flags.palace,
    what: list === true ? undefined : whatOf(flags),
    allowAgain,
    removeBackups: flags.backups === true,
    dryRun: flags.dryRun === true,
    yes: flags.yes === true,
    waitMs: flags.wait,
  };
}

function whatOf({ source, session, wing, run }: ForgetFlags): Forgettable | undefined {
  if (source !== undefined) return { by: 'source', name: source, paths: [resolve(source)] };
  if (session !== undefined) return { by: 'session', session };
  if (wing !== undefined) return { by: 'wing', wing };
  return run === undefined ? undefined : { by: 'run', run: parseCount('--run', run, 1) };
}
