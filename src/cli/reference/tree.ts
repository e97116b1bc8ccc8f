import type { Argument, Command, Help, Option } from 'commander';
import { LISTS } from '../app/choices.js';
import { exitHelp, exitsOf } from '../app/exit.js';
import {
  argumentTerm,
  COMMON_OPTIONS,
  commonLine,
  everyOption,
  pathOf,
  repeatable,
  visibleCommands,
  withCommonOptions,
} from '../app/options.js';
import { STORED } from './stored-names.js';

export type Value = ReturnType<typeof readValue>;
export type OptionEntry = ReturnType<typeof readOption>;
export type ArgumentEntry = ReturnType<typeof readArgument>;

export interface CommandEntry {
  name: string;
  /** Heading in the list of its parent; may be empty. */
  group: string;
  /** As typed: `mempalace search`. */
  path: string;
  /** `[options] <dir>` */
  usage: string;
  description: string;
  arguments: ArgumentEntry[];
  options: OptionEntry[];
  /** The help text after the options, without the common options and the exit codes. */
  notes: string;
  commands: CommandEntry[];
}

/**
 * A declared program as plain data, for help pages, completions, manuals and docs/cli.md. Without hidden commands and options, and with
 * help texts for 80 columns.
 */
export function readCommand(command: Command): CommandEntry {
  const helper = withCommonOptions(command).createHelp();
  const siblings = command.parent && visibleCommands(command.parent).map((each) => each.name());
  const isHelp = command.name() === 'help';
  return {
    name: command.name(),
    group: command.helpGroup(),
    path: pathOf(command),
    usage: command.usage(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) =>
      readArgument(
        argument,
        isHelp ? [...(siblings ?? []), 'options'] : argument.argChoices,
        helper,
        command.parent?.name(),
      ),
    ),
    options: everyOption(command).map((option) => readOption(option, helper)),
    notes: notesOf(command),
    commands: visibleCommands(command).map(readCommand),
  };
}

/** A command and its subcommands, parents first. */
export function allBelow(command: CommandEntry): CommandEntry[] {
  return [command, ...command.commands.flatMap(allBelow)];
}

/** The subcommands that manuals describe, without `help`. */
export function described({ commands }: CommandEntry): CommandEntry[] {
  return commands.filter(({ name }) => name !== 'help');
}

/** @param group the name of the parent command */
function readArgument(
  argument: Argument,
  choices: readonly string[] | undefined,
  helper: Help,
  group: string | undefined,
) {
  return {
    ...readValue(argument.name(), choices, argument.name() === 'name' ? group : undefined),
    /** `<dir>`, `[question...]`. */
    term: argumentTerm(argument),
    required: argument.required,
    variadic: argument.variadic,
    fullDescription: helper.argumentDescription(argument),
  };
}

function readOption(option: Option, helper: Help) {
  const name = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  const { flags, short, long = flags, required, argChoices, description, helpGroupHeading } = option;
  return {
    /** `-q, --quiet`, `--limit <n>`. */
    flags,
    /** `-q`. */
    short,
    /** `--wing`. */
    long,
    names: short === undefined ? [long] : [short, long],
    value: name === undefined ? undefined : { ...readValue(name, argChoices, long), required },
    description,
    /** With choices and default, as help prints it. */
    fullDescription: helper.optionDescription(option),
    repeatable: option.parseArg === repeatable || LISTS.has(option),
    common: helpGroupHeading === COMMON_OPTIONS,
    /** Heading in help. */
    group: helpGroupHeading ?? 'Options:',
  };
}

/** The kind of a value, from its name or its fixed values. @param of its option, or the group of its command */
function readValue(name: string, choices: readonly string[] = [], of = '') {
  const isFolder = /^(?:folder|dir|directory)$/.test(name);
  const isFile = /^(?:file|path)$/.test(name);
  const path: 'file' | 'folder' | undefined = isFolder ? 'folder' : isFile ? 'file' : undefined;
  const stored = Object.entries(STORED).find(([each]) => each === of)?.[1];
  return { name, choices, path, stored };
}

/** All of `--help` in 80 columns, and the part that commander generates. */
export function helpOf(command: Command): { help: string; generated: string } {
  const before = { ...command.configureOutput() };
  let help = '';
  command.configureOutput({
    getOutHelpWidth: () => 80,
    writeOut: (text) => {
      help += text;
    },
  });
  command.outputHelp();
  const generated = command.helpInformation();
  command.configureOutput(before);
  return { help, generated };
}

/** The text added with `addHelpText`: all help after the generated part. */
function notesOf(command: Command): string {
  const { help, generated } = helpOf(command);
  return help
    .slice(help.indexOf(generated) + generated.length)
    .replace(commonLine(command), '')
    .replace(exitHelp(exitsOf(pathOf(command))).trim(), '')
    .trim();
}
