import { chosenFrom } from './choice.js';
import { OPERATION_TOOLS } from './operations.js';
import type { Tool } from './tool.js';
import { aaak } from './tools/aaak.js';
import { forgetFact } from './tools/kg-forget.js';
import { READING_TOOLS } from './tools/reading.js';
import { STATUS_TOOLS } from './tools/status.js';
import { UPKEEP_TOOLS } from './tools/upkeep.js';

/** All tools, in the order in which agents see them. */
export const ALL_TOOLS: readonly Tool[] = [
  ...STATUS_TOOLS,
  ...READING_TOOLS,
  ...OPERATION_TOOLS,
  aaak,
  forgetFact,
  ...UPKEEP_TOOLS,
];

/** The tools that `--tools` chooses. @throws UserError `usage` for an unknown name */
export const chooseTools = (choice: string): Tool[] => chosenFrom(ALL_TOOLS, choice);
