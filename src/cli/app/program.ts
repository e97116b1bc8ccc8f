import { type Command, CommanderError } from 'commander';
import { UserError } from '../../core/errors.js';
import { columnsOf, type Io, loadColours, watchOutput } from '../terminal/io.js';
import { jsonText } from '../terminal/terminal.js';
import { beginCall, type Call } from './call.js';
import { EXIT } from './exit.js';
import { report } from './failure.js';
import { pathOf, reached, VERSION_ASKED, withCommonOptions } from './options.js';
import { COMMIT, VERSION, VERSION_TEXT } from './version.js';

/**
 * Runs the command that the arguments name.
 *
 * @returns the exit code
 */
export async function runProgram(program: Command, argv: readonly string[], io: Io): Promise<number> {
  const call: Call = { name: program.name(), argv, io, exitCode: EXIT.done };
  watchOutput(io, (error) => report(unwritable(error), { flags: { json: wantsJson(argv) }, call }));
  program.configureOutput({
    writeOut: (text) => io.stdout.write(text),
    // Help, if a command is missing.
    writeErr: (text) => {
      if (!wantsJson(argv)) io.stderr.write(text);
    },
    getOutHelpWidth: () => columnsOf(io.stdout) ?? 80,
    // Reported below, like all errors.
    outputError: () => {},
  });
  try {
    withCommonOptions(program);
    beginCall(call);
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    await loadColours(io);
    const flags = { json: wantsJson(argv), color: !argv.includes('--no-color') };
    if (error instanceof UserError) return report(error, { flags, call });
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === VERSION_ASKED) {
      const text = wantsJson(argv) ? jsonText({ version: VERSION, commit: COMMIT }) : VERSION_TEXT;
      io.stdout.write(`${text}\n`);
    }
    // Help is printed already: it was requested, or no command was named.
    if (error.exitCode === 0) return EXIT.done;
    if (error.code.startsWith('commander.help')) {
      if (!flags.json) return EXIT.usage;
      const hint = `${pathOf(reached)} --help lists the commands`;
      return report(new UserError('usage', 'a command is missing', { hint }), { flags, call });
    }
    return report(usageError(error, reached), { flags, call });
  }
  return call.exitCode;
}

/** Looks for --json without the parser, which may have failed. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

function unwritable(error: Error): UserError {
  return new UserError('failed', `the output cannot be written: ${error.message}`, {
    hint: 'if the disk is full, free some space, or write the output elsewhere',
    cause: error,
  });
}

const NONE_OF = (_: string, value: string): string => `${JSON.stringify(value)} is not one of `;

/** The parser's message in the form of all errors. */
function usageError(error: CommanderError, command: Command): UserError {
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
        : `${JSON.stringify(name)} is not one of ${command.commands.map((each) => each.name()).join(', ')}`,
    );
  const suggestion = /^\(Did (.*)\)$/s.exec(more.join(' '))?.[1];
  const path = pathOf(command);
  const dashed = error.code === 'commander.unknownOption' && command.name() === 'search';
  const help = dashed
    ? `a question that starts with a dash comes after --: ${path} -- "-x"`
    : `${path} --help shows how`;
  return new UserError('usage', message, { hint: suggestion === undefined ? help : `did ${suggestion}` });
}
