import { Argument } from 'commander';
import { HARNESSES, HOOKS } from '../../../hooks/index.js';
import { type CommonFlags, choiceOption, createCommand, withTimeLimit } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import type { HookRunFlags } from './config.js';
import type { HookFlushFlags } from './flush.js';

const HELP = `
What it does:
  run     what a harness calls: its JSON on stdin, the answer on stdout
  flush   files what hooks have noted, now and here

The start of a session gets what wake-up tells. Every other hook notes the
session, and one background run files what is new. Whatever is broken, a hook
answers and ends with 0; the reason is in the log ($MEMPALACE_LOG_FILE, else
hooks/hooks.log in the palace). contrib/README.md says how to set it up.

Examples:
  mempalace hook flush                             file what is noted
  mempalace hook run --hook stop --harness codex   what a harness runs`;

export const hook = withTimeLimit(
  createCommand('hook', 'What coding agents call to remember by themselves')
    .addArgument(new Argument('<what>', 'what to do').choices(['run', 'flush']))
    .addOption(choiceOption('--hook <hook>', 'run: the moment', HOOKS))
    .addOption(choiceOption('--harness <harness>', 'run: who calls', HARNESSES)),
)
  .addHelpText('after', HELP)
  .action(async (what: string, flags: CommonFlags & HookRunFlags & HookFlushFlags) => {
    if (what === 'run') await (await import('./run.js')).runHook(flags);
    else await perform(flags, async (context) => (await import('./flush.js')).runHookFlush(flags, context));
  });
