import { type Command, CommanderError } from 'commander';
import { UserError } from '../../core/errors.js';
import { meant } from '../../core/suggest.js';
import { columnsOf, type Io, loadColours } from '../../terminal/io.js';
import type { LogFlags } from '../../terminal/logging/log.js';
import { jsonText } from '../../terminal/terminal.js';
import type { Call } from './call.js';
import { EXIT } from './exit.js';
import { report } from './failure.js';
import { pathOf, VERSION_ASKED, visibleCommands, withCommonOptions } from './options.js';
import { begin, openLog } from './runner.js';
import { COMMIT, VERSION, VERSION_TEXT } from './version.js';

/**
 * Runs the command that the arguments name.
 *
 * @param load loads what the arguments need of the program, and may read them otherwise: in a damaged installation it fails
 * @returns the exit code
 */
export async function runProgram(
  name: string,
  load: () => Promise<{ program: Command; argv?: readonly string[] }>,
  typed: readonly string[],
  io: Io,
): Promise<number> {
  const call: Call = { path: name, argv: typed, io, exitCode: EXIT.done };
  // Read without the parser, which may fail.
  const end = typed.indexOf('--');
  const given = (flag: string) => typed.slice(0, end === -1 ? typed.length : end).includes(flag);
  const flags = { json: given('--json'), debug: given('--debug'), color: !given('--no-color') };
  let program: Command;
  let argv: readonly string[];
  try {
    ({ program, argv = typed } = await load());
  } catch (error) {
    return reportUnparsed(error, flags, call);
  }
  begin(call, flags.json);
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    // Help, if a command is missing.
    writeErr: (text) => {
      if (!flags.json) io.stderr.write(text);
    },
    getOutHelpWidth: () => columnsOf(io.stdout) ?? 80,
    // Reported below, like all errors.
    outputError: () => {},
  });
  try {
    withCommonOptions(program);
    await program.parseAsync([...argv], { from: 'user' });
    return call.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) return reportUnparsed(error, flags, call);
    if (error.code === VERSION_ASKED) {
      const text = flags.json ? jsonText({ version: VERSION, commit: COMMIT }) : VERSION_TEXT;
      io.stdout.write(`${text}\n`);
    }
    // Help is printed already: it was requested, or a command is missing.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code.startsWith('commander.help') && !flags.json) return EXIT.usage;
    return reportUnparsed(usageError(error, call.command ?? program), flags, call);
  }
}

/** Reports an error of the arguments, also in the log if it can be written. */
async function reportUnparsed(
  error: unknown,
  flags: { json: boolean; debug: boolean; color: boolean },
  call: Call,
): Promise<number> {
  const log = await openLog(await logFlags(call.argv), call).catch(() => undefined);
  await loadColours(call.io);
  const code = report(error, { flags, call, log });
  log?.close();
  return code;
}

/** The log's options, also those after the wrong argument, where the parser stopped. */
async function logFlags(argv: readonly string[]): Promise<LogFlags> {
  const { parseArgs } = await import('node:util');
  const text = { type: 'string' } as const;
  const options = { 'log-file': text, 'log-level': text };
  const { values } = parseArgs({ args: [...argv], options, strict: false });
  const given = (name: keyof typeof options): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { logFile: given('log-file'), logLevel: given('log-level') };
}

const NONE_OF = (_: string, value: string): string => `${JSON.stringify(value)} is not one of `;

/** The parser's message in the form of all errors. */
function usageError(error: CommanderError, command: Command): UserError {
  const path = pathOf(command);
  const { parent, args } = command;
  const isDefault = parent?.parent && parent.args[0] !== command.name();
  const group = command.commands.length > 0 ? command : isDefault ? parent : undefined;
  // A group, or the command that it does by itself, was given a word that is none of its commands.
  if (error.code === 'commander.excessArguments' && group)
    return usageError(new CommanderError(EXIT.usage, '', `error: unknown command '${args[0]}'`), group);
  if (error.code.startsWith('commander.help'))
    return new UserError('usage', 'a command is missing', { hint: `${path} --help lists the commands` });
  const [first = '', ...more] = error.message.split('\n');
  const message = first
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replace(/^command-argument value '(.*)' is invalid for argument '.*'\. Allowed choices are /, NONE_OF)
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. Allowed choices are /,
      (_, flag, value) => `${flag}: ${NONE_OF('', value)}`,
    )
    .replace(
      /^option '(--[\w-]+).*' cannot be used with option '(--[\w-]+).*'$/,
      '$1 and $2 exclude each other',
    )
    .replace(/^unknown command '(.*)'$/, (whole, name) =>
      command.parent === null
        ? whole
        : `${JSON.stringify(name)} is not one of ${visibleCommands(command)
            .map((each) => each.name())
            .join(', ')}`,
    );
  const suggestion = meantBy(first, command) ?? /^\(Did you mean (.*)\?\)$/s.exec(more.join(' '))?.[1];
  const dashed = error.code === 'commander.unknownOption' && command.name() === 'search';
  const help = dashed
    ? `put a question with a dash in quotation marks: ${path} "git commit -m"; if it starts with one, after --: ${path} -- "-x"`
    : `${path} --help shows how`;
  return new UserError('usage', message, {
    hint: suggestion === undefined ? help : `did you mean ${suggestion}?`,
  });
}

/** What the user meant by a word that is no command, or none of the choices. */
function meantBy(message: string, command: Command): string | undefined {
  const unknown = /unknown command '(.*)'/.exec(message)?.[1];
  if (unknown !== undefined) {
    const commands = visibleCommands(command).map((each) => each.name());
    const found = meant(unknown, commands);
    return found === undefined ? undefined : `${pathOf(command)} ${found}`;
  }
  const { value = '', choices } =
    /'(?<value>[^']*)' is invalid.*Allowed choices are (?<choices>.*)\.$/.exec(message)?.groups ?? {};
  return choices === undefined ? undefined : meant(value, choices.split(', '));
}
