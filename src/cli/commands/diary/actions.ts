import type { CommonFlags } from '../../app/options.js';

export const DIARY_ACTIONS = ['read', 'write'] as const;

/** Flags of `mempalace diary`, as commander hands them over. */
export interface DiaryFlags extends CommonFlags {
  agent?: string;
  wing?: string;
  topic?: string;
  last?: string;
  offset?: string;
  /** Commander's negations of --no-redact and --no-pager. */
  redact: boolean;
  pager: boolean;
}
