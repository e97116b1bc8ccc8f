import type { Command } from 'commander';
import { current } from './call.js';
import { EXIT } from './exit.js';

/**
 * A group without a subcommand does what its default command does.
 *
 * @param path the name of the group, such as `mempalace task`
 * @throws CommanderError for an unknown subcommand
 */
export function beBare(group: Command, path: string): void {
  const [word = ''] = group.args;
  if (word !== '' && !word.startsWith('-')) {
    group.error(`error: unknown command '${word}'`, {
      code: 'commander.unknownCommand',
      exitCode: EXIT.usage,
    });
  }
  if (current !== undefined) current.bare = path;
}
