import { operationTool } from '../adapters/mcp.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { chosenFrom } from './choice.js';
import type { Call, Tool } from './tool.js';
import { show } from './tools/reading.js';
import { aaak, STATUS_TOOLS } from './tools/status.js';
import { UPKEEP_TOOLS } from './tools/upkeep.js';

/** All tools, in the order in which agents see them. */
export const ALL_TOOLS: readonly Tool[] = [
  ...STATUS_TOOLS,
  show,
  ...NAMED_OPERATIONS.flatMap(([, operation]) =>
    operation.tool === undefined ? [] : [operationTool<Call>(operation, operation.tool)],
  ),
  aaak,
  ...UPKEEP_TOOLS,
];

/** The tools that `--tools` chooses. @throws UserError `usage` for an unknown name */
export const chooseTools = (choice: string): Tool[] => chosenFrom(ALL_TOOLS, choice);
