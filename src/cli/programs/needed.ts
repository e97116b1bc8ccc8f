import { Argument, type Command, Option } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';
import { helpCommand } from '../commands/help.js';
import { builtProgram } from '../reference/manifest.js';
import type { CommandEntry } from '../reference/tree.js';
import { COMMANDS, emptyProgram, wholeProgram } from './mempalace.js';

const isHelp = (word = ''): boolean => word === '-h' || word === '--help';

/**
 * `mempalace` with what the arguments need and no more: the version, a help page as the manifest says it, or one command. If
 * they name none, all commands are listed.
 */
export async function neededOf(argv: readonly string[]): Promise<Command> {
  const program = withCommonOptions(emptyProgram());
  if (argv.join() === '--version') return program;
  // Common options may precede the command.
  const valued = program.options.flatMap(({ required, long }) => (required && long ? [long] : []));
  const isWord = (word: string, at: number) => !word.startsWith('-') && !valued.includes(argv[at - 1] ?? '');
  const words = argv.filter(isWord);
  const isOfAll = argv.slice(0, argv.findIndex(isWord)).some(isHelp);
  const isTopic = words[0] === 'help';
  const load = isOfAll || isTopic ? undefined : COMMANDS.get(words[0] ?? '');
  if (load !== undefined && !isHelp(argv.at(-1))) return program.addCommand((await load()).command);
  const page = builtProgram('mempalace');
  if (page === undefined) return wholeProgram();
  const topic = isTopic ? words.slice(words[1] === 'options' ? 2 : 1) : words;
  const names = isOfAll ? [] : topic;
  if (contains(page, names)) return withCommonOptions(declared(page, names));
  if (load !== undefined) return program.addCommand((await load()).command);
  return withCommonOptions(declared(page, isTopic ? names : []));
}

function contains({ commands }: CommandEntry, [name, ...names]: readonly string[]): boolean {
  return name === undefined || commands.some((each) => each.name === name && contains(each, names));
}

/** @param names the path to the command of the page: commands on it get their options, all others are lines of a list */
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
