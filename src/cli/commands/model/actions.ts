import type { CommonFlags } from '../../app/options.js';

export const MODEL_ACTIONS = ['list', 'pull', 'verify', 'path', 'use'] as const;

export interface ModelFlags extends CommonFlags {
  from?: string;
}
