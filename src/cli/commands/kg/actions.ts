import type { CommonFlags } from '../../app/options.js';

export const KG_ACTIONS = [
  'add',
  'query',
  'invalidate',
  'supersede',
  'timeline',
  'stats',
  'forget',
  'export',
  'import',
] as const;
export type KgAction = (typeof KG_ACTIONS)[number];

export const DIRECTIONS = ['outgoing', 'incoming', 'both'] as const;

/** Flags of `mempalace kg`, as commander hands them over. */
export interface KgFlags extends CommonFlags {
  from?: string;
  until?: string;
  confidence?: string;
  drawer?: string;
  source?: string;
  at?: string;
  asOf?: string;
  direction?: string;
  predicate?: string;
  limit?: string;
  offset?: string;
  to?: string;
  backups?: boolean;
  dryRun?: boolean;
  yes?: boolean;
  wait?: string;
  /** Commander's negation of --no-redact. */
  redact: boolean;
}
