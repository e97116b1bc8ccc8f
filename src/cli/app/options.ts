import { type Argument, Command, CommanderError, Option } from 'commander';
import { nameCall } from './call.js';
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

/** A command; `withCommonOptions` adds what all have in common. */
export function createCommand(name: string, description: string): Command {
  return new Command(name).description(description);
}

export function withFilingOptions(command: Command): Command {
  return command
    .option('--force', 'process unchanged sources, too')
    .option('--wait <duration>', 'how long to wait for another run', '10s')
    .option('--agent <name>', 'who files it, noted beside each drawer (default: the command)')
    .option('--no-redact', 'keep secrets as they are (they will be found by search)');
}

/** Gathers the values of an option that may be given more than once; its description says `(repeatable)`. */
export const repeatable = (value: string, previous: string[] = []): string[] => [...previous, value];

/**
 * An option with fixed values, for help, completion and manuals. The parser lets every value pass: the command
 * refuses a wrong one itself, in the words of its other errors.
 */
export function choiceOption(flags: string, description: string, choices: readonly string[]): Option {
  return new Option(flags, description).choices(choices).argParser((value: string) => value);
}

/** Code of the error that --version ends the parsing with. */
export const VERSION_ASKED = 'commander.version';

/** The heading of the options that every command takes. */
export const COMMON_OPTIONS = 'Options of every command:';

/** Ends the declaration of a program: added last, so that `--help` names a command's own options first. */
export function withCommonOptions(program: Command): Command {
  for (const command of [program, ...program.commands]) addCommonOptions(command);
  program.hook('preAction', (_, command) => nameCall(pathOf(command)));
  // A flag that every command takes may stand before the command's name too.
  return program.enablePositionalOptions().hook('preSubcommand', (_, command) => {
    for (const [name, value] of Object.entries(program.opts())) {
      if (program.getOptionValueSource(name) === 'cli') command.setOptionValueWithSource(name, value, 'cli');
    }
  });
}

/** `mempalace search`: how a person calls the command. */
export function pathOf(command: Command): string {
  return [command.parent?.name(), command.name()].filter(Boolean).join(' ');
}

/** For what runs on a schedule. */
export function withTimeLimit(command: Command): Command {
  return command.option(
    '--max-duration <duration>',
    'end in order after this time, such as 2h; what was done stays, the next run goes on (exit 3)',
  );
}

function addCommonOptions(command: Command): void {
  command
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
