import type { PrivacyRule } from '../../../config/index.js';
import { UserError } from '../../../core/errors.js';
import { validateWing } from '../../../core/wing.js';
import { parseCount } from '../../app/durations.js';
import type { FilingFlags } from '../../app/options.js';
import { type FilingChoices, filingConfig } from '../docs/config.js';

export const DEFAULT_MIN_MESSAGES = '3';

/** Flags of `mempalace-session`, as commander returns them. */
export interface SessionFlags extends FilingFlags {
  from?: string;
  db?: string[];
  minMessages: string;
  /** `true` for `--since` without a value. */
  since?: string | true;
  session?: string[];
  directory?: string;
  subagents: boolean;
  limit?: string;
  wing?: string;
  stageOnly?: boolean;
  dryRun?: boolean;
  repair?: boolean;
  /** Commander's negation of --no-backup. */
  backup: boolean;
}

export interface SessionConfig {
  palace: string | undefined;
  db: string[];
  minMessages: number;
  /** A time as the user wrote it, or since the last complete run. */
  since: { kind: 'given'; text: string } | { kind: 'last-run' } | undefined;
  sessions: string[];
  directory: string | undefined;
  subagents: boolean;
  limit: number | undefined;
  wing: string | undefined;
  stageOnly: boolean;
  dryRun: boolean;
  repair: boolean;
  filing: FilingChoices;
  /** Whether to make a backup before the repair. */
  backup: boolean;
}

/** @throws UserError `usage` */
export function sessionConfig(flags: SessionFlags): SessionConfig {
  if (flags.dryRun === true && flags.stageOnly === true) {
    throw new UserError('usage', '--dry-run and --stage-only exclude each other');
  }
  if (flags.repair === true && (flags.dryRun === true || flags.stageOnly === true)) {
    throw new UserError('usage', '--repair excludes --dry-run and --stage-only');
  }
  const { since } = flags;
  return {
    palace: flags.palace,
    db: flags.db ?? [],
    minMessages: parseCount('--min-messages', flags.minMessages, 0),
    since: typeof since === 'string' ? { kind: 'given', text: since } : since && { kind: 'last-run' },
    sessions: flags.session ?? [],
    directory: flags.directory,
    subagents: flags.subagents,
    limit: flags.limit === undefined ? undefined : parseCount('--limit', flags.limit, 1),
    wing: flags.wing === undefined ? undefined : validateWing(flags.wing),
    stageOnly: flags.stageOnly === true,
    dryRun: flags.dryRun === true,
    repair: flags.repair === true,
    backup: flags.backup,
    filing: filingConfig(flags),
  };
}

/** Configuration of `mempalace-session --session <id>`, for a hook. */
export function namedSessions(
  session: string[],
  { palace, ...filing }: FilingChoices & { palace: string },
): SessionConfig {
  const flags = { palace, session, minMessages: '0', subagents: true, backup: true };
  return { ...sessionConfig({ ...flags, wait: '0', redact: filing.redact, color: false }), filing };
}

/** Whether a run covers only a part of the sessions. `--since` without a value never starts from such a run. */
export function isNarrowed(config: SessionConfig): boolean {
  return (
    config.sessions.length > 0 ||
    config.directory !== undefined ||
    config.limit !== undefined ||
    config.since?.kind === 'given'
  );
}

/** The databases and the options that affect the result. Runs with the same scope are comparable. */
export function scopeOf(
  config: SessionConfig,
  databases: readonly string[],
  rules: readonly PrivacyRule[] = [],
): string {
  return JSON.stringify({
    databases: [...databases].sort(),
    minMessages: config.minMessages,
    subagents: config.subagents,
    wing: config.wing ?? null,
    redact: config.filing.redact,
    ...(rules.length > 0 ? { rules: rules.map(({ kind, pattern }) => [kind, pattern]) } : {}),
  });
}
