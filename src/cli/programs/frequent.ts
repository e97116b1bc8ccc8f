import type { Command } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';

/** Commands that a user waits for most often. Declaring all of them takes 4 ms. */
const FREQUENT: Record<string, () => Promise<Command>> = {
  search: async () => (await import('../commands/search/command.js')).search,
  'wake-up': async () => (await import('../commands/wake-up/command.js')).wakeUp,
};

/** The program with the one command that the arguments need, if they begin with a frequent one or ask for the version. */
export async function programOfOne([name = '', ...rest]: readonly string[]): Promise<Command | undefined> {
  if (name === '--version' && rest.length === 0) return withCommonOptions(emptyProgram());
  if (!Object.hasOwn(FREQUENT, name)) return undefined;
  const command = await FREQUENT[name]?.();
  return command && withCommonOptions(emptyProgram().addCommand(command));
}

export function emptyProgram(): Command {
  const does = 'The memory palace: stores documents and sessions, and finds them again';
  return createCommand('mempalace', does).usage('[options] <command>');
}
