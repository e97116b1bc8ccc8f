import type { Io } from '../terminal/io.js';
import { EXIT } from './app/exit.js';
import { hookRunFlags } from './commands/hook/config.js';
import { runHook } from './commands/hook/run.js';

/** Each in a module of its own; of `mempalace`, only the command that the arguments name is loaded. */
const PROGRAMS = {
  mempalace: async (argv: readonly string[]) => (await import('./programs/needed.js')).neededOf(argv),
  'mempalace-docs': async () => ({ program: (await import('./programs/docs.js')).docsProgram() }),
  'mempalace-mcp': () => import('./programs/mcp.js'),
  'mempalace-session': async () => ({ program: (await import('./programs/session.js')).sessionProgram() }),
};

type ProgramName = keyof typeof PROGRAMS;

/** What bin/ calls: runs a program to its end and sets the exit code. */
export async function start(name: ProgramName): Promise<void> {
  // It stays if nothing keeps the process alive before the run ends.
  process.exitCode = EXIT.failed;
  process.exitCode = await run(name, process.argv.slice(2), process);
}

/**
 * Runs a program to its end. The MCP server and hooks use the streams of the process.
 *
 * @returns the exit code
 */
export async function run(name: ProgramName, argv: readonly string[], io: Io): Promise<number> {
  // A harness waits for a hook: it does without the command tree.
  const hook = name === 'mempalace' ? hookRunFlags(argv) : undefined;
  if (hook !== undefined) return runHook(hook);
  if (name === 'mempalace' && argv[0] === '__complete') {
    const { printCompletions } = await import('./reference/complete.js');
    return printCompletions(argv.slice(1), io);
  }
  if (name === 'mempalace-mcp' && argv.length === 0) {
    const { serveByDefault } = await import('./commands/server/run.js');
    return serveByDefault(io);
  }
  const { runProgram } = await import('./app/program.js');
  return runProgram(name, () => PROGRAMS[name](argv), argv, io);
}
