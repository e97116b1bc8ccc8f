import { hookRunFlags } from './hook-config.js';
import { runHook } from './hook-run.js';

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
  process.exitCode = await runHook(hook);
}
