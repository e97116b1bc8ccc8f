import { UserError } from '../core/errors.js';
import type { Tool } from './tool.js';

/** Names for tools that are chosen together, apart from `core` and `all`. */
export const TOOL_SETS = ['collections', 'tasks'] as const;

const PREFIX = 'mempalace_';

/**
 * The tools that `--tools` chooses: `core`, `all`, a set such as `collections`, or names with or without `mempalace_`,
 * separated by commas. They stay in the order of `all`.
 *
 * @throws UserError `usage` for an unknown name
 */
export function chosenFrom<T extends Pick<Tool, 'name' | 'core' | 'set'>>(
  all: readonly T[],
  choice: string,
): T[] {
  const chosen = new Set<T>();
  const words = choice.split(',').map((word) => word.trim());
  for (const word of words.filter((each) => each !== '')) {
    const named = all.filter(
      ({ name, core, set }) =>
        word === 'all' ||
        (word === 'core' && core) ||
        set === word ||
        name === word ||
        name === `${PREFIX}${word}`,
    );
    if (named.length === 0) {
      throw new UserError('usage', `--tools: there is no tool ${JSON.stringify(word)}`, {
        hint: `core, all, ${TOOL_SETS.join(', ')}, or some of ${all.map(({ name }) => name.slice(PREFIX.length)).join(', ')}`,
      });
    }
    for (const tool of named) chosen.add(tool);
  }
  if (chosen.size === 0)
    throw new UserError('usage', '--tools names no tool', { hint: 'core is the default' });
  return all.filter((tool) => chosen.has(tool));
}
