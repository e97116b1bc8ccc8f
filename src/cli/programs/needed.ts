import { Argument, type Command, Option } from 'commander';
import { RENAMED } from '../../core/renamed.js';
import { createCommand, withCommonOptions } from '../app/options.js';
import { helpCommand } from '../commands/help.js';
import { builtProgram } from '../reference/manifest.js';
import type { CommandEntry } from '../reference/tree.js';
import { COMMANDS, DAILY, emptyProgram, wholeProgram } from './mempalace.js';

const isHelp = (word = ''): boolean => word === '-h' || word === '--help';

/** A program, and the arguments with today's names of commands. */
export interface Needed {
  program: Command;
  argv: readonly string[];
}

/**
 * `mempalace` with what the arguments need and no more: the version, a help page as the manifest says it, or one command. If
 * they name none, those of daily use are listed, and all of them after `help --all`.
 */
export async function neededOf(given: readonly string[]): Promise<Needed> {
  const program = withCommonOptions(emptyProgram());
  if (given.join() === '--version') return { program, argv: given };
  // Common options may precede the command.
  const valued = program.options.flatMap(({ required, long }) => (required && long ? [long] : []));
  const isWord = (word: string, at: number, all: readonly string[]) =>
    !word.startsWith('-') && !valued.includes(all[at - 1] ?? '');
  const argv = withNewName(given, isWord);
  return { program: await programOf(argv, isWord, program), argv };
}

type IsWord = (word: string, at: number, all: readonly string[]) => boolean;

/** The new name in place of a former one, of a command or of the topic of help. */
function withNewName(argv: readonly string[], isWord: IsWord): readonly string[] {
  const places = [...argv.keys()].filter((at) => isWord(argv[at] ?? '', at, argv));
  const [at = -1] = places.slice(argv[places[0] ?? -1] === 'help' ? 1 : 0);
  const name = RENAMED.get(argv[at] ?? '');
  return name === undefined ? argv : argv.toSpliced(at, 1, ...name.split(' '));
}

async function programOf(argv: readonly string[], isWord: IsWord, program: Command): Promise<Command> {
  const words = argv.filter(isWord);
  const isOfAll = argv.slice(0, argv.findIndex(isWord)).some(isHelp);
  const isTopic = words[0] === 'help';
  const load = isOfAll || isTopic ? undefined : COMMANDS.get(words[0] ?? '');
  if (load !== undefined && !isHelp(argv.at(-1))) return program.addCommand((await load()).command);
  const page = builtProgram('mempalace');
  if (page === undefined) return wholeProgram();
  const topic = isTopic ? words.slice(words[1] === 'options' ? 2 : 1) : words;
  const names = isOfAll ? [] : topic;
  if (names.length === 0 && !(isTopic && argv.includes('--all')))
    return withCommonOptions(declared(daily(page), []).addCommand(helpCommand(), { hidden: true }));
  if (contains(page, names)) return withCommonOptions(declared(page, names));
  if (load !== undefined) return program.addCommand((await load()).command);
  return withCommonOptions(declared(page, isTopic ? names : []));
}

function contains({ commands }: CommandEntry, [name, ...names]: readonly string[]): boolean {
  return name === undefined || commands.some((each) => each.name === name && contains(each, names));
}

/** The page of a program with the commands of daily use only. */
function daily(page: CommandEntry): CommandEntry {
  const used = DAILY.flatMap((name) => page.commands.filter((each) => each.name === name));
  const commands = used.map((each) => ({ ...each, group: 'Commands:' }));
  return { ...page, commands, notes: `All commands: mempalace help --all\n\n${page.notes}` };
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
