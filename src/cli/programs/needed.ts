import { Argument, type Command, Option } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';
import { helpCommand } from '../commands/help.js';
import { builtProgram } from '../reference/manifest.js';
import type { CommandEntry } from '../reference/tree.js';
import { COMMANDS, emptyProgram } from './mempalace.js';

/** Common options with a value, which may precede the command. */
const VALUED = ['--palace', '--log-file', '--log-level'];

/**
 * `mempalace` with what the arguments need and no more: the version, a help page as the manifest says it, or one command. Where
 * they name no command, there is a list of them.
 */
export async function neededOf(argv: readonly string[]): Promise<Command> {
  if (argv.join() === '--version') return withCommonOptions(emptyProgram());
  const isTopic = argv[0] === 'help';
  const isPage = argv.length === 0 || isTopic || ['-h', '--help'].includes(argv.at(-1) ?? '');
  const names = isTopic ? argv.slice(argv[1] === 'options' ? 2 : 1) : argv.slice(0, -1);
  const page = isPage ? builtProgram('mempalace') : undefined;
  if (page !== undefined && contains(page, names)) return withCommonOptions(declared(page, names));
  const name = argv.find((word, at) => !word.startsWith('-') && !VALUED.includes(argv[at - 1] ?? ''));
  const load = COMMANDS.get(name ?? '');
  if (load !== undefined) return withCommonOptions(emptyProgram().addCommand((await load()).command));
  const program = builtProgram('mempalace');
  return withCommonOptions(program === undefined ? emptyProgram() : declared(program, isTopic ? names : []));
}

function contains({ commands }: CommandEntry, [name, ...names]: readonly string[]): boolean {
  return name === undefined || commands.some((each) => each.name === name && contains(each, names));
}

/** @param names those below it, as far as there are any, are declared with their options; others are lines of a list */
function declared(entry: CommandEntry, [name, ...names]: readonly string[]): Command {
  const command = createCommand(entry.name, entry.description).usage(entry.usage).helpGroup(entry.group);
  for (const { flags, fullDescription, group, common } of entry.options)
    if (!common) command.addOption(new Option(flags, fullDescription).helpGroup(group));
  for (const { term, fullDescription } of entry.arguments)
    command.addArgument(new Argument(term, fullDescription));
  for (const each of entry.commands)
    command.addCommand(each.name === name ? declared(each, names) : listed(each));
  return entry.notes === '' ? command : command.addHelpText('after', `\n${entry.notes}`);
}

/** A command as a line of its parent's page. */
function listed({ name, description, group, arguments: entries }: CommandEntry): Command {
  const command = name === 'help' ? helpCommand() : createCommand(name, description).helpGroup(group);
  for (const { term } of name === 'help' ? [] : entries) command.addArgument(new Argument(term));
  return command.helpGroup(group);
}
