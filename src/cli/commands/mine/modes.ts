import type { DocsFlags } from '../docs/config.js';

export const MODES = ['docs', 'projects', 'convos'] as const;
export type Mode = (typeof MODES)[number];

/** Flags of `mempalace mine`, as commander hands them over. */
export interface MineFlags extends DocsFlags {
  mode?: string;
  room?: string;
  staged?: boolean;
}
