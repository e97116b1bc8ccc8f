import { hookRunFlags } from './hook-config.js';

const argv = process.argv.slice(2);
// A harness waits for a hook: it does without the command tree.
const hook = hookRunFlags(argv);
if (hook === undefined) {
  const [{ runProgram }, { program }] = await Promise.all([
    import('./program.js'),
    import('./programs/mempalace.js'),
  ]);
  await runProgram(program, argv);
} else {
  const { runHook } = await import('./hook-run.js');
  process.exitCode = await runHook(hook);
}
