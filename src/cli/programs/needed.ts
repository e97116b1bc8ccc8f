import { Argument, type Command, Option } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';
import { helpCommand } from '../commands/help/command.js';
import { builtProgram } from '../reference/manifest.js';
import type { CommandEntry } from '../reference/tree.js';

/** Commands that a user waits for most often. Declaring all of them takes 4 ms. */
const FREQUENT: Record<string, () => Promise<Command>> = {
  search: async () => (await import('../commands/search/command.js')).search,
  'wake-up': async () => (await import('../commands/wake-up/command.js')).wakeUp,
};

/**
 * `mempalace` with what the arguments need and no more, where that is little: the version, a help page, or a frequent command.
 *
 * @returns undefined where all commands are needed
 */
export async function neededOf(argv: readonly string[]): Promise<Command | undefined> {
  const [name = '', ...rest] = argv;
  if (name === '--version' && rest.length === 0) return withCommonOptions(emptyProgram());
  const page = pageOf(argv);
  if (page !== undefined) return page;
  if (!Object.hasOwn(FREQUENT, name)) return undefined;
  const command = await FREQUENT[name]?.();
  return command && withCommonOptions(emptyProgram().addCommand(command));
}

export function emptyProgram(): Command {
  const does = 'The memory palace: stores documents and sessions, and finds them again';
  return createCommand('mempalace', does).usage('[options] <command>');
}

/** The page that the arguments ask for, as the manifest says it: the command, with those above it. */
function pageOf(argv: readonly string[]): Command | undefined {
  const isTopic = argv[0] === 'help';
  if (argv.length > 0 && !isTopic && !['-h', '--help'].includes(argv.at(-1) ?? '')) return undefined;
  const program = builtProgram('mempalace');
  const command =
    program && declared(program, isTopic ? argv.slice(argv[1] === 'options' ? 2 : 1) : argv.slice(0, -1));
  return command && withCommonOptions(command);
}

/** @param names the rest of the path; undefined if there is none of these names */
function declared(entry: CommandEntry, [name, ...names]: readonly string[]): Command | undefined {
  const next = entry.commands.find((each) => each.name === name);
  const below = next && declared(next, names);
  if (name !== undefined && below === undefined) return undefined;
  const command = createCommand(entry.name, entry.description).usage(entry.usage).helpGroup(entry.group);
  for (const { flags, fullDescription, group, common } of entry.options)
    if (!common) command.addOption(new Option(flags, fullDescription).helpGroup(group));
  for (const { term, fullDescription } of entry.arguments)
    command.addArgument(new Argument(term, fullDescription));
  for (const each of entry.commands) command.addCommand(each === next && below ? below : listed(each));
  return entry.notes === '' ? command : command.addHelpText('after', `\n${entry.notes}`);
}

/** A command as a line of its parent's page. */
function listed({ name, description, group, arguments: entries }: CommandEntry): Command {
  const command = name === 'help' ? helpCommand() : createCommand(name, description).helpGroup(group);
  for (const { term } of name === 'help' ? [] : entries) command.addArgument(new Argument(term));
  return command.helpGroup(group);
}
