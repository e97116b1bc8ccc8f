import { type Command, CommanderError } from 'commander';
import { UserError } from '../../core/errors.js';
import { jsonText, watchOutput } from '../terminal/terminal.js';
import { EXIT } from './exit.js';
import { report } from './failure.js';
import { callRun } from './runner.js';
import { COMMIT, VERSION, VERSION_TEXT } from './version.js';

/** Runs a command's work and sets its exit code; the launchers do nothing else. */
export async function runProgram(program: Command, argv: readonly string[]): Promise<void> {
  watchOutput((error) => report(unwritable(error), { flags: { json: wantsJson(argv) } }));
  let failing = program;
  for (const command of [program, ...program.commands]) {
    command.on('option:version', () => printVersion(wantsJson(argv)));
    command.configureOutput({
      outputError: () => {
        failing = command;
      },
    });
  }
  program.hook('preAction', (_, command) => callRun(pathOf(command)));
  // A flag that every command takes may stand before the command's name too.
  program.enablePositionalOptions().hook('preSubcommand', (_, command) => {
    for (const [name, value] of Object.entries(program.opts())) {
      if (program.getOptionValueSource(name) === 'cli') command.setOptionValueWithSource(name, value, 'cli');
    }
  });
  try {
    const [first, topic] = argv;
    const names = program.commands.map((command) => command.name());
    // The library would print the whole help and not say why.
    if (first === 'help' && topic !== undefined && names.length > 0 && ![...names, 'help'].includes(topic)) {
      program.error(`error: unknown command '${topic}'`, {
        code: 'commander.unknownCommand',
        exitCode: EXIT.usage,
      });
    }
    await program.parseAsync([...argv], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    // Help has been printed already, be it that it was asked for or that no command was named.
    if (error.code.startsWith('commander.help') || error.exitCode === 0) return;
    report(usageError(error, failing), {
      flags: { json: wantsJson(argv), color: !argv.includes('--no-color') },
    });
  }
}

/** Whether --json is among the flags, whatever the parser makes of the rest. */
function wantsJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end === -1 ? argv.length : end).includes('--json');
}

function printVersion(json: boolean): never {
  const text = json ? jsonText({ version: VERSION, commit: COMMIT }) : VERSION_TEXT;
  process.stdout.write(`${text}\n`);
  throw new CommanderError(EXIT.done, 'commander.version', VERSION_TEXT);
}

function unwritable(error: Error): UserError {
  return new UserError('failed', `the output cannot be written: ${error.message}`, {
    hint: 'is the disk full? Make room where it goes, or let it go elsewhere',
    cause: error,
  });
}

/** What the parser says of a wrong command line, in the form of all errors. */
function usageError(error: CommanderError, command: Command): UserError {
  const [first = '', ...more] = error.message.split('\n');
  const message = first
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replace(
      /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are /,
      (_, value) => `${JSON.stringify(value)} is none of `,
    );
  const suggestion = /^\(Did (.*)\)$/s.exec(more.join(' '))?.[1];
  const path = pathOf(command);
  const dashed = error.code === 'commander.unknownOption' && command.name() === 'search';
  const help = dashed
    ? `a question that starts with a dash comes after --: ${path} -- "-x"`
    : `${path} --help shows how`;
  return new UserError('usage', message, { hint: suggestion === undefined ? help : `did ${suggestion}` });
}

/** `mempalace search`: how a person calls the command. */
function pathOf(command: Command): string {
  return [command.parent?.name(), command.name()].filter(Boolean).join(' ');
}
