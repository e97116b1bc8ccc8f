import { Option } from 'commander';
import { HARNESSES, HOOKS } from '../../../hooks/index.js';
import { createCommand, withTimeLimit } from '../../app/options.js';
import { lazily } from '../../app/runner.js';
import type { HookRunFlags } from './config.js';

const HELP = `
The start of a session gets what wake-up tells. Every other hook notes the
session, and one background run files what is new. Whatever is broken, a hook
answers and ends with 0; the reason is in the log ($MEMPALACE_LOG_FILE, else
hooks/hooks.log in the palace). contrib/README.md says how to set it up.

Examples:
  mempalace hook flush                             file what is noted
  mempalace hook run --hook stop --harness codex   what a harness runs`;

/** Any value passes: a hook answers whatever it was called with. */
const named = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices).argParser((value: string) => value);

export const hook = createCommand('hook', 'What coding agents call to remember by themselves')
  .addCommand(
    createCommand('run', 'What a harness calls: its JSON on stdin, the answer on stdout')
      .addOption(named('--hook <hook>', 'the moment', HOOKS))
      .addOption(named('--harness <harness>', 'the harness that calls', HARNESSES))
      .allowUnknownOption()
      .allowExcessArguments()
      .action(async (flags: HookRunFlags) => {
        await (await import('./run.js')).runHook(flags);
      }),
  )
  .addCommand(
    withTimeLimit(createCommand('flush', 'File what hooks have noted, now and here')).action(
      lazily(async () => (await import('./flush.js')).runHookFlush),
    ),
  )
  .addHelpText('after', HELP);
