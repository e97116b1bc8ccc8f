import { UserError } from '../core/errors.js';
import { TOOL_SETS, type Tool } from './tool.js';
import { CHECKPOINT_TOOLS } from './tools/checkpoints.js';
import { COLLECTION_TOOLS } from './tools/collections.js';
import { CONFLICT_TOOLS } from './tools/conflicts.js';
import { DIARY_TOOLS } from './tools/diary.js';
import { DRAWER_TOOLS } from './tools/drawers.js';
import { FILE_TOOLS } from './tools/files.js';
import { KG_TOOLS } from './tools/kg.js';
import { PATTERN_TOOLS } from './tools/patterns.js';
import { READING_TOOLS } from './tools/reading.js';
import { SEARCH_TOOLS } from './tools/search.js';
import { STATUS_TOOLS } from './tools/status.js';
import { TASK_TOOLS } from './tools/tasks.js';
import { UPKEEP_TOOLS } from './tools/upkeep.js';
import { WRITING_TOOLS } from './tools/writing.js';

/** All tools, in the order in which agents see them. */
export const ALL_TOOLS: readonly Tool[] = [
  ...STATUS_TOOLS,
  ...SEARCH_TOOLS,
  ...READING_TOOLS,
  ...FILE_TOOLS,
  ...PATTERN_TOOLS,
  ...DRAWER_TOOLS,
  ...CHECKPOINT_TOOLS,
  ...WRITING_TOOLS,
  ...DIARY_TOOLS,
  ...KG_TOOLS,
  ...CONFLICT_TOOLS,
  ...COLLECTION_TOOLS,
  ...TASK_TOOLS,
  ...UPKEEP_TOOLS,
];

const PREFIX = 'mempalace_';

/**
 * The tools that `--tools` chooses: `core`, `all`, a set such as `collections`, or names with or without `mempalace_`, separated by commas.
 *
 * @throws UserError `usage` for an unknown name
 */
export function chooseTools(choice: string): Tool[] {
  const chosen = new Set<Tool>();
  const words = choice.split(',').map((word) => word.trim());
  for (const word of words.filter((each) => each !== '')) {
    const named = ALL_TOOLS.filter(
      ({ name, core, set }) =>
        word === 'all' ||
        (word === 'core' && core) ||
        set === word ||
        name === word ||
        name === `${PREFIX}${word}`,
    );
    if (named.length === 0) {
      throw new UserError('usage', `--tools: there is no tool ${JSON.stringify(word)}`, {
        hint: `core, all, ${TOOL_SETS.join(', ')}, or some of ${ALL_TOOLS.map(({ name }) => name.slice(PREFIX.length)).join(', ')}`,
      });
    }
    for (const tool of named) chosen.add(tool);
  }
  if (chosen.size === 0)
    throw new UserError('usage', '--tools names no tool', { hint: 'core is the default' });
  return ALL_TOOLS.filter((tool) => chosen.has(tool));
}
