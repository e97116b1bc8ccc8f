import type { Command } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';

/** Commands that a user waits for most often. Declaring all of them takes 4 ms. */
const FREQUENT: Record<string, () => Promise<Command>> = {
  search: async () => (await import('../commands/search/command.js')).search,
  'wake-up': async () => (await import('../commands/wake-up/command.js')).wakeUp,
};

/** The program with one command, if the arguments begin with the name of a frequent one. */
export async function programOfOne([name = '']: readonly string[]): Promise<Command | undefined> {
  if (!Object.hasOwn(FREQUENT, name)) return undefined;
  const command = await FREQUENT[name]?.();
  return command && withCommonOptions(emptyProgram().addCommand(command));
}

export function emptyProgram(): Command {
  const does = 'The memory palace: stores documents and sessions, and finds them again';
  return createCommand('mempalace', does).usage('[options] <command>');
}
