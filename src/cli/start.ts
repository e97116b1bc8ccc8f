import { hookRunFlags } from './commands/hook/config.js';
import { runHook } from './commands/hook/run.js';

/** Each in a module of its own: a program declares its commands, and loads what they need when they are run. */
const PROGRAMS = {
  mempalace: () => import('./programs/mempalace.js'),
  'mempalace-docs': () => import('./programs/docs.js'),
  'mempalace-mcp': () => import('./programs/mcp.js'),
  'mempalace-session': () => import('./programs/session.js'),
};

/** What bin/ calls: runs a program to its end and sets the exit code. */
export async function start(name: keyof typeof PROGRAMS): Promise<void> {
  const argv = process.argv.slice(2);
  // A harness waits for a hook: it does without the command tree.
  const hook = name === 'mempalace' ? hookRunFlags(argv) : undefined;
  if (hook !== undefined) {
    process.exitCode = await runHook(hook);
    return;
  }
  const [{ runProgram }, { program }] = await Promise.all([import('./app/program.js'), PROGRAMS[name]()]);
  await runProgram(program, argv);
}
