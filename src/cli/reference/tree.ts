import type { Argument, Command, Option } from 'commander';
import { EXIT_HELP } from '../app/exit.js';
import { argumentTerm, COMMON_OPTIONS, pathOf, repeatable, withCommonOptions } from '../app/options.js';

/** The kind of a value, from its name or its fixed values. */
export interface Value {
  name: string;
  choices: string[];
  path: 'file' | 'folder' | undefined;
}

export interface OptionEntry {
  /** `--wing`. */
  long: string;
  /** `-q`. */
  short: string | undefined;
  names: string[];
  value: (Value & { required: boolean }) | undefined;
  description: string;
  /** The same with choices and default, as help prints it. */
  fullDescription: string;
  repeatable: boolean;
  common: boolean;
  /** Heading in help. */
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
  /** `[options] <dir>` */
  usage: string;
  description: string;
  arguments: ArgumentEntry[];
  options: OptionEntry[];
  /** The help text after the options, without the exit codes. */
  notes: string;
  commands: CommandEntry[];
}

/**
 * A declared program as plain data, for completions, manuals and docs/cli.md. Without hidden options, and with help
 * texts for 80 columns.
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

/** A command and its subcommands, parents first. */
export function allBelow(command: CommandEntry): CommandEntry[] {
  return [command, ...command.commands.flatMap(allBelow)];
}

/** The subcommands that manuals describe, without `help`. */
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
    .replace(EXIT_HELP, '')
    .trim();
}
