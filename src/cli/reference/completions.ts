import type { Shell } from '../commands/completion/shells.js';
import { bashCompletion } from './bash.js';
import { fishCompletion } from './fish.js';
import type { CommandEntry } from './tree.js';
import { zshCompletion } from './zsh.js';

/** The script of a program for each shell. */
export const COMPLETIONS: Record<Shell, (program: CommandEntry) => string> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
