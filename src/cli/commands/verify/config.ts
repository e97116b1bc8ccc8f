import { UserError } from '../../../core/errors.js';
import { parseDuration } from '../../app/durations.js';
import type { CommonFlags } from '../../app/options.js';
import { type SessionConfig, sessionConfig } from '../session/config.js';

/** Flags of `mempalace verify`, as commander hands them over. */
export interface VerifyFlags extends CommonFlags {
  session?: string[];
  docs?: string;
  wing?: string;
  db?: string[];
  minMessages: string;
  apply?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  /** Commander's negation of --no-backup. */
  backup: boolean;
  redact: boolean;
  wait: string;
}

export interface VerifyConfig {
  palace: string | undefined;
  /** Findings about other wings are left out. */
  wing: string | undefined;
  /** What `mempalace-session` would be told; undefined when no session is asked for. */
  sessions: SessionConfig | undefined;
  /** All projects that are filed, one folder, or none. */
  documents: { which: 'all' } | { which: 'one'; dir: string } | undefined;
  apply: boolean;
  dryRun: boolean;
  yes: boolean;
  backup: boolean;
  redact: boolean;
  waitMs: number;
}

/** @throws UserError `usage` */
export function verifyConfig(flags: VerifyFlags): VerifyConfig {
  const { session = [], docs, apply = false, dryRun = false } = flags;
  if (flags.yes === true && !apply) throw new UserError('usage', '--yes is for --apply');
  const everything = session.length === 0 && docs === undefined;
  const { db = [], minMessages, palace, redact, wait, color } = flags;
  const feeder = { db, minMessages, redact, wait, color, session, subagents: true, backup: false };
  return {
    palace,
    wing: flags.wing,
    sessions: everything || session.length > 0 ? sessionConfig(feeder) : undefined,
    documents: docs !== undefined ? { which: 'one', dir: docs } : everything ? { which: 'all' } : undefined,
    apply,
    dryRun,
    yes: flags.yes === true,
    backup: flags.backup,
    redact,
    waitMs: parseDuration('--wait', wait),
  };
}
