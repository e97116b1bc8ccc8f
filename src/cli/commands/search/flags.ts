import type { CommonFlags } from '../../app/options.js';

export const FORMATS = ['full', 'index'] as const;

/** Flags of `mempalace search`, as commander hands them over. */
export interface SearchFlags extends CommonFlags {
  wing?: string;
  room?: string;
  since?: string;
  until?: string;
  source?: string;
  session?: string;
  directory?: string;
  cold?: boolean;
  rank?: string;
  by?: string;
  limit?: string;
  offset?: string;
  minScore?: string;
  format?: string;
  explain?: boolean;
  links?: boolean;
  batch?: boolean;
  /** Commander's negation of --no-pager. */
  pager: boolean;
}
