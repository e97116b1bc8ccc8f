import { chosenFrom } from './choice.js';
import { OPERATION_TOOLS } from './operations.js';
import type { Tool } from './tool.js';
import { aaak } from './tools/aaak.js';
import { queryCollection } from './tools/collections.js';
import { forgetFact } from './tools/kg-forget.js';
import { READING_TOOLS } from './tools/reading.js';
import { SEARCH_TOOLS } from './tools/search.js';
import { STATUS_TOOLS } from './tools/status.js';
import { UPKEEP_TOOLS } from './tools/upkeep.js';

/** All tools, in the order in which agents see them. */
export const ALL_TOOLS: readonly Tool[] = [
  ...STATUS_TOOLS,
  ...SEARCH_TOOLS,
  ...READING_TOOLS,
  ...OPERATION_TOOLS,
  aaak,
  forgetFact,
  queryCollection,
  ...UPKEEP_TOOLS,
];

/** The tools that `--tools` chooses. @throws UserError `usage` for an unknown name */
export const chooseTools = (choice: string): Tool[] => chosenFrom(ALL_TOOLS, choice);
