import { type Argument, Command, CommanderError, Option } from 'commander';
import { UserError } from '../../core/errors.js';
import { nameCall } from './call.js';
import { parseCount, parseDuration } from './durations.js';
import { EXIT, EXIT_HELP } from './exit.js';
import { LOG_LEVELS } from './logging/log-levels.js';

/** Flags that every command takes. */
export interface CommonFlags {
  palace?: string;
  json?: boolean;
  quiet?: boolean;
  verbose?: boolean;
  debug?: boolean;
  /** Commander's negation of --no-color. */
  color: boolean;
  logFile?: string;
  logLevel?: string;
}

/** Flags of every command that files. */
export interface FilingFlags extends CommonFlags {
  force?: boolean;
  wait: string;
  redact: boolean;
  agent?: string;
  maxDuration?: string;
}

/** A command; it gets the options that all have in common when it is reached. */
export function createCommand(name: string, description: string): Command {
  return new Command(name).description(description).helpCommand(false);
}

export function withFilingOptions(command: Command): Command {
  return command
    .option('--force', 'process unchanged sources, too')
    .option('--wait <duration>', 'how long to wait for another run', '10s')
    .option('--agent <name>', 'the writer, stored with each drawer (default: the command)')
    .option('--no-redact', 'keep secrets as they are (they will be found by search)');
}

/** Gathers the values of an option that may be given more than once; its description says `(repeatable)`. */
export const repeatable = (value: string, previous: string[] = []): string[] => [...previous, value];

/**
 * An option whose value is parsed with the command line.
 *
 * @param parse throws a UserError `usage` that names the flag, its first argument
 */
function parsedOption(
  flags: string,
  description: string,
  parse: (flag: string, text: string) => unknown,
): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string) => parse(option.long ?? flags, text));
}

/** An option with fixed values. */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices);
}

/** A whole number of at least `least`. */
export function countOption(flags: string, description: string, least: number): Option {
  return parsedOption(flags, description, (flag, text) => parseCount(flag, text, least));
}

/** A number from 0 to 1. */
export function shareOption(flags: string, description: string): Option {
  return parsedOption(flags, description, (flag, text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new UserError('usage', `${flag} takes a number from 0 to 1, not "${text}"`);
  });
}

/** How long to wait for another run, in milliseconds. */
export function waitOption(): Option {
  return parsedOption('--wait <duration>', 'how long to wait for another run', parseDuration).default(
    10_000,
    '10s',
  );
}

/** For what runs on a schedule. */
export function withTimeLimit(command: Command): Command {
  return command.option(
    '--max-duration <duration>',
    'end in order after this time, such as 2h; what was done stays, the next run goes on (exit 3)',
  );
}

/** Code of the error that --version ends the parsing with. */
export const VERSION_ASKED = 'commander.version';

/** The heading of the options that every command takes. */
export const COMMON_OPTIONS = 'Options of every command:';

/** The command that the arguments have reached so far: errors are of its usage. */
export let reached: Command;

/**
 * Ends the declaration of a program: added last, so that `--help` names a command's own options first. A command below
 * it gets the common options when the arguments name it: declaring them for all of them takes longer than a start.
 */
export function withCommonOptions(command: Command): Command {
  reached = command;
  if (command.options.some(({ long }) => long === '--palace')) return command;
  if (command.parent !== null) command.copyInheritedSettings(command.parent);
  return addCommonOptions(command)
    .enablePositionalOptions()
    .hook('preAction', (_, acting) => {
      if (acting === command) nameCall(pathOf(command));
    })
    .hook('preSubcommand', (_, next) => {
      withCommonOptions(next);
      // A flag that every command takes may stand before the command's name too.
      for (const [name, value] of Object.entries(command.opts()))
        if (command.getOptionValueSource(name) === 'cli') next.setOptionValueWithSource(name, value, 'cli');
    });
}

/** `mempalace kg add`: how a person calls the command. */
export function pathOf(command: Command): string {
  return [...(command.parent === null ? [] : [pathOf(command.parent)]), command.name()].join(' ');
}

function addCommonOptions(command: Command): Command {
  return command
    .optionsGroup(COMMON_OPTIONS)
    .option(
      '--palace <folder>',
      'the palace (default: $MEMPALACE_PALACE_PATH, config.yaml, ~/.mempalace/palace)',
    )
    .option('--json', 'print one JSON document')
    .option('-q, --quiet', 'print errors and the data asked for only')
    .option('-v, --verbose', 'print every detail')
    .option('--debug', 'print stack traces')
    .option('--no-color', 'no colours (NO_COLOR does the same)')
    .option('--log-file <file>', 'log there too, rotated (default: $MEMPALACE_LOG_FILE, else nowhere)')
    .addOption(
      choiceOption('--log-level <level>', 'how much (default: $MEMPALACE_LOG_LEVEL, else info)', LOG_LEVELS),
    )
    .option('--version', 'print the version, and the commit it was built from')
    .configureHelp({ subcommandTerm: termOf })
    .on('option:version', () => {
      throw new CommanderError(EXIT.done, VERSION_ASKED, '');
    })
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', EXIT_HELP)
    .showSuggestionAfterError(true)
    .exitOverride();
}

/** A command in the list of commands: that it takes options goes without saying. */
function termOf(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');
}

/** An argument as usage shows it: `<dir>`, `[question...]`. */
export function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
