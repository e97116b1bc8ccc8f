import { type Argument, Command, CommanderError, Help, Option } from 'commander';
import { UserError } from '../../core/errors.js';
import { LOG_LEVELS } from '../../core/logs.js';
import { validateWing } from '../../core/wing.js';
import { parseCount, parseDuration, parseSize } from '../../terminal/durations.js';
import { beBare } from './bare.js';
import { current } from './call.js';
import { EXIT, EXIT_MEANINGS, exitHelp, exitsOf } from './exit.js';

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

/** Options of every command that files. */
export interface FilingFlags {
  force?: boolean;
  /** Milliseconds to wait for another run. */
  wait: number;
  redact: boolean;
  /** Stored with each drawer. Default: the command. */
  agent?: string;
  /** Milliseconds. */
  maxDuration?: number | undefined;
}

/** `dryRun` of `dry-run` */
type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;
/** `wing` of `--wing <name>`, `backup` of `--no-backup` */
type NameIn<Form extends string> = Form extends `--no-${infer Name}` | `--${infer Name} ${string}`
  ? Camel<Name>
  : Form extends `--${infer Name}`
    ? Camel<Name>
    : never;
/** `true` for `--since [when]` without its value. */
export type Maybe<Form extends string, Value> = {
  [Name in NameIn<Form>]?: Value | (Form extends `${string} [${string}` ? true : never) | undefined;
};
type Surely<Form extends string, Value> = { [Name in NameIn<Form>]: Value };
/** An option that says the name and the type of its value. */
export type Typed<Flags> = {
  readonly said?: Flags;
  default(value: unknown, shown?: string): Typed<{ [Name in keyof Flags]-?: NonNullable<Flags[Name]> }>;
} & Option;

/** A command whose options say the type of its flags. */
type Declared<Flags> = Declaring<Flags> & Command;
interface Declaring<Flags> {
  readonly said?: Flags;
  option<const Form extends string>(
    form: Form,
    description: string,
  ): Declared<
    Flags &
      (Form extends `--no-${string}`
        ? Surely<Form, boolean>
        : Maybe<Form, Form extends `${string} <${string}` ? string : boolean>)
  >;
  option<const Form extends string, Value>(
    form: Form,
    description: string,
    parse: (value: string, previous: Value) => Value,
  ): Declared<Flags & Maybe<Form, Value>>;
  option<const Form extends string>(
    form: Form,
    description: string,
    usual: string,
  ): Declared<Flags & Surely<Form, string>>;
  addOption<More>(option: Typed<More>): Declared<Flags & More>;
}
export type FlagsOf<Of extends Declared<unknown>> = NonNullable<Of['said']>;

/** Adds no common options: `withCommonOptions` does when the command is reached. */
export function createCommand(name: string, description: string): Declared<CommonFlags> {
  return new Command(name).description(description).helpCommand(false) as Declared<CommonFlags>;
}

export function withFilingOptions<Flags>(command: Declared<Flags>): Declared<Flags & FilingFlags> {
  return command
    .option('--force', 'process unchanged sources, too')
    .addOption(waitOption())
    .addOption(
      parsedOption(
        '--agent <name>',
        'the writer, stored with each drawer (default: the command)',
        validAgent,
      ),
    )
    .option('--no-redact', 'file secrets unchanged (search will find them)');
}

/** Collects the values of an option that may be given more than once; its description says `(repeatable)`. */
export const repeatable = (value: string, previous: string[] = []): string[] => [...previous, value];

/**
 * An option whose value is parsed with the command line.
 *
 * @param parse its first argument is the flag; throws UserError `usage`
 */
export function parsedOption<const Form extends string, Value>(
  flags: Form,
  description: string,
  parse: (flag: string, text: string) => Value,
): Typed<Maybe<Form, Value>> {
  const option = new Option(flags, description);
  return option.argParser((text: string) => parse(option.long ?? flags, text));
}

export function choiceOption<const Form extends string, const Choice extends string>(
  flags: Form,
  description: string,
  choices: readonly Choice[],
): Typed<Maybe<Form, Choice>> {
  return new Option(flags, description).choices(choices);
}

/** A whole number of at least `least`. */
export function countOption<const Form extends string>(flags: Form, description: string, least: number) {
  return parsedOption(flags, description, (flag, text) => parseCount(flag, text, least));
}

/** A number from 0 to 1. */
export function shareOption<const Form extends string>(flags: Form, description: string) {
  return parsedOption(flags, description, (flag, text) => {
    const value = Number(text);
    if (text.trim() !== '' && value >= 0 && value <= 1) return value;
    throw new UserError('usage', `${flag} takes a number from 0 to 1, not "${text}"`);
  });
}

/** How long to wait for another run, in milliseconds. */
export function waitOption() {
  return parsedOption('--wait <duration>', 'how long to wait for another run', parseDuration).default(
    10_000,
    '10s',
  );
}

/** A time of more than 0, in milliseconds. */
export function durationOption<const Form extends string>(flags: Form, description: string) {
  return parsedOption(flags, description, (flag, text) => {
    const ms = parseDuration(flag, text);
    if (ms > 0) return ms;
    throw new UserError('usage', `${flag} must be more than 0`);
  });
}

/** With --force, each run would process everything again and never finish. */
export function withTimeLimit<Flags>(
  command: Declared<Flags>,
): Declared<Flags & Pick<FilingFlags, 'maxDuration'>> {
  return command.addOption(
    durationOption(
      '--max-duration <duration>',
      'stop after this time, such as 2h (exit 3); the next run continues from there',
    ).conflicts(['force', 'stageOnly']),
  );
}

/** Bytes. */
export function sizeOption<const Form extends string>(flags: Form, description: string) {
  return parsedOption(flags, description, parseSize);
}

export function wingOption(description: string) {
  return parsedOption('--wing <name>', description, (_, text) => validateWing(text));
}

/** Messages of the shortest session that is filed by default. */
const MIN_MESSAGES = 3;

/** The same default for filing and for verifying. */
export function minMessagesOption(description: string) {
  return countOption('--min-messages <n>', description, 0).default(MIN_MESSAGES);
}

/** A flag that cannot be used with the others, which are named as in code. */
export function exclusiveFlag<const Form extends string>(
  flag: Form,
  description: string,
  ...others: string[]
): Typed<Maybe<Form, boolean>> {
  return new Option(flag, description).conflicts(others);
}

function validAgent(flag: string, text: string): string {
  const name = text.normalize('NFC').trim();
  if (/^[^\p{Cc}\p{Cf}\p{Cs}]{1,128}$/u.test(name)) return name;
  throw new UserError('usage', `${flag} takes a name of 1 to 128 characters, not ${JSON.stringify(text)}`);
}

/** Declarations that wait until their command is reached. */
const PENDING = new WeakMap<Command, () => void>();

/**
 * Declares the arguments and options of a command when it is reached, or when its line in a list of commands is printed:
 * the schemas of all commands take longer than most of them.
 */
export function declareLater(command: Command, declare: () => void): Command {
  PENDING.set(command, declare);
  return command;
}

function declareNow(command: Command): void {
  const declare = PENDING.get(command);
  if (declare === undefined) return;
  PENDING.delete(command);
  // Options that were added since come after them.
  const options = command.options as Option[];
  const added = options.splice(0);
  declare();
  options.push(...added);
  // Commander saved its state before, for the next run in this process.
  command.saveStateBeforeParse();
}

/** Code of the error by which --version ends parsing. */
export const VERSION_ASKED = 'commander.version';

export const COMMON_OPTIONS = 'Options of every command:';

export const everyOption = (command: Command): Option[] => new Help().visibleOptions(command);
const isCommon = ({ helpGroupHeading }: Option): boolean => helpGroupHeading === COMMON_OPTIONS;

/** In place of them on a help page, for 80 columns. */
export function commonLine(command: Command): string {
  const names = everyOption(command)
    .filter(isCommon)
    .map(({ long, flags }) => long ?? flags);
  return new Help().boxWrap(`Common options: ${names.join(' ')} (mempalace help options)`, 80);
}

/** `mempalace help options`: the options of every command, and all exit codes. */
export function commonOptionsPage(program: Command): string {
  const helper = program.createHelp();
  helper.prepareContext({ helpWidth: program.configureOutput().getOutHelpWidth?.() ?? 80 });
  const common = everyOption(program).filter(isCommon);
  const width = Math.max(...common.map(({ flags }) => flags.length));
  const items = common.map((each) =>
    helper.formatItem(each.flags, width, helper.optionDescription(each), helper),
  );
  return `${helper.formatItemList(COMMON_OPTIONS, items, helper).join('\n')}${exitHelp(EXIT_MEANINGS)}\n`;
}

/**
 * Completes the declaration of a program. The common options come last, so that `--help` lists a command's own
 * options first. Subcommands get them when the arguments name them, since declaring them for all is slow.
 */
export function withCommonOptions(command: Command): Command {
  if (current !== undefined) Object.assign(current, { command, path: pathOf(command) });
  if (command.parent !== null) command.copyInheritedSettings(command.parent);
  declareNow(command);
  if (command.options.some(({ long }) => long === '--palace')) return command;
  return addCommonOptions(command)
    .enablePositionalOptions()
    .hook('preSubcommand', (group, next) => {
      if (group.args[0] !== next.name()) beBare(group, pathOf(group));
      withCommonOptions(next);
      // A common flag may also precede the command's name.
      for (const [name, value] of Object.entries(command.opts()))
        if (command.getOptionValueSource(name) === 'cli') next.setOptionValueWithSource(name, value, 'cli');
    });
}

/** The subcommands that help lists. */
export function visibleCommands(command: Command): Command[] {
  const visible = command.createHelp().visibleCommands(command);
  return command.commands.filter((each) => visible.includes(each));
}

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
    .option('-q, --quiet', 'print only errors and the requested data')
    .option('-v, --verbose', 'print every detail')
    .option('--debug', 'print stack traces')
    .option('--no-color', 'no colours (NO_COLOR does the same)')
    .option('--log-file <file>', 'also log to this file, rotated (default: $MEMPALACE_LOG_FILE, else none)')
    .addOption(
      choiceOption(
        '--log-level <level>',
        'how much to log (default: $MEMPALACE_LOG_LEVEL, else info)',
        LOG_LEVELS,
      ),
    )
    .option('--version', 'print the version and its commit')
    .configureHelp({
      subcommandTerm: termOf,
      visibleOptions: (shown) => everyOption(shown).filter((each) => !isCommon(each)),
    })
    .on('option:version', () => {
      throw new CommanderError(EXIT.done, VERSION_ASKED, '');
    })
    .helpOption('-h, --help', 'print this help')
    .addHelpText('after', ({ command }) => `\n${commonLine(command)}\n${exitHelp(exitsOf(pathOf(command)))}`)
    .showSuggestionAfterError(true)
    .exitOverride();
}

/**
 * A command in the list of commands, without its options. A subcommand is named alone: with its arguments, the column
 * would leave no room for descriptions in a terminal of 80 columns.
 */
function termOf(command: Command): string {
  if (command.parent?.parent) return command.name();
  declareNow(command);
  return [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' ');
}

/** `<dir>`, `[question...]` */
export function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}
