import type { Argument, Command, Option } from 'commander';
import { EXIT_HELP } from '../app/exit.js';
import { argumentTerm, COMMON_OPTIONS, pathOf, repeatable, withCommonOptions } from '../app/options.js';

/** What a value may be, as far as its name or its fixed values tell. */
export interface Value {
  /** As help shows it: `folder`. */
  name: string;
  choices: string[];
  path: 'file' | 'folder' | undefined;
}

export interface OptionEntry {
  /** `--wing`. */
  long: string;
  /** `-q`. */
  short: string | undefined;
  /** Both. */
  names: string[];
  value: (Value & { required: boolean }) | undefined;
  /** As declared. */
  description: string;
  /** The same with choices and default, as help prints it. */
  fullDescription: string;
  /** May be given more than once. */
  repeatable: boolean;
  /** Every command takes it. */
  common: boolean;
  /** The heading that help prints it under. */
  group: string;
}

export interface ArgumentEntry extends Value {
  /** `<dir>`, `[question...]`. */
  term: string;
  required: boolean;
  variadic: boolean;
  description: string;
  fullDescription: string;
}

export interface CommandEntry {
  name: string;
  /** As typed: `mempalace search`. */
  path: string;
  /** What follows the path: `[options] <dir>`. */
  usage: string;
  description: string;
  arguments: ArgumentEntry[];
  options: OptionEntry[];
  /** What help says after the options, without the exit codes. */
  notes: string;
  commands: CommandEntry[];
}

/**
 * A declared program as plain data: what completions, manuals and docs/cli.md are made from. Reads what `--help`
 * shows, so hidden options are left out. Texts that fit the terminal are made for 80 columns.
 */
export function readCommand(command: Command): CommandEntry {
  const helper = withCommonOptions(command).createHelp();
  const siblings = command.parent?.commands.map((each) => each.name());
  return {
    name: command.name(),
    path: pathOf(command),
    usage: command.usage(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      ...readValue(argument.name(), command.name() === 'help' ? siblings : argument.argChoices),
      term: argumentTerm(argument),
      required: argument.required,
      variadic: argument.variadic,
      description: argument.description,
      fullDescription: helper.argumentDescription(argument),
    })),
    options: helper
      .visibleOptions(command)
      .map((option) => readOption(option, helper.optionDescription(option))),
    notes: notesOf(command),
    commands: command.commands.map(readCommand),
  };
}

/** A command and all below it, parents first. */
export function allBelow(command: CommandEntry): CommandEntry[] {
  return [command, ...command.commands.flatMap(allBelow)];
}

/** The commands of a program that manuals describe: `help` only leads to others. */
export function described({ commands }: CommandEntry): CommandEntry[] {
  return commands.filter(({ name }) => name !== 'help');
}

function readOption(option: Option, fullDescription: string): OptionEntry {
  const name = /[<[]([\w-]+)/.exec(option.flags)?.[1];
  return {
    long: option.long ?? option.flags,
    short: option.short,
    names: [option.short, option.long].filter((each) => each !== undefined),
    value:
      name === undefined ? undefined : { ...readValue(name, option.argChoices), required: option.required },
    description: option.description,
    fullDescription,
    repeatable: option.parseArg === repeatable,
    common: option.helpGroupHeading === COMMON_OPTIONS,
    group: option.helpGroupHeading ?? 'Options:',
  };
}

function readValue(name: string, choices: Argument['argChoices']): Value {
  const path = /^(?:folder|dir|directory)$/.test(name)
    ? 'folder'
    : /^(?:file|path)$/.test(name)
      ? 'file'
      : undefined;
  return { name, choices: [...(choices ?? [])], path };
}

/** All of `--help` in a terminal of 80 columns, and the part of it that commander makes. */
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

/** What was added with `addHelpText`: all of the help that comes after the generated part. */
function notesOf(command: Command): string {
  const { help, generated } = helpOf(command);
  return help
    .slice(help.indexOf(generated) + generated.length)
    .replace(EXIT_HELP, '')
    .trim();
}
