import { Option } from 'commander';
import { HARNESSES, HOOKS } from '../../../hooks/protocol.js';
import { createCommand, withTimeLimit } from '../../app/options.js';
import { lazily } from '../../app/runner.js';
import type { HookRunFlags } from './config.js';

const HELP = `
At the start of a session the hook answers with the text of wake-up. With
wake_up.prompt: on, user-prompt answers the first prompt of a session with
passages about it. Every other hook queues the session, and one background run
files new content. A hook always answers and exits with 0; errors are in the
log ($MEMPALACE_LOG_FILE, else hooks/hooks.log in the palace folder). A session
that three runs could not file is set aside; mempalace status names it.
contrib/README.md describes the setup.

Examples:
  mempalace hook flush                             file queued sessions
  mempalace hook flush --retry                     and those set aside
  mempalace hook run --hook stop --harness codex   called by an agent`;

/** Accepts any value, since a hook answers even with wrong arguments. */
const named = (flags: string, description: string, choices: readonly string[]): Option =>
  new Option(flags, description).choices(choices).argParser((value: string) => value);

export const command = createCommand('hook', 'Hooks that coding agents call to file and recall sessions')
  .addCommand(
    createCommand('run', 'Called by an agent program: its JSON on stdin, the answer on stdout')
      .addOption(named('--hook <hook>', 'the event', HOOKS))
      .addOption(named('--harness <harness>', 'the agent program that calls', HARNESSES))
      .allowUnknownOption()
      .allowExcessArguments()
      .action(async (flags: HookRunFlags) => {
        await (await import('./run.js')).runHook(flags);
      }),
  )
  .addCommand(
    withTimeLimit(createCommand('flush', 'File the queued sessions now, in the foreground'))
      .option('--retry', 'also those that were set aside because they could not be filed')
      .option('--drop', 'forget those that were set aside, and file the others')
      .action(lazily(async () => (await import('./flush.js')).runHookFlush)),
  )
  .addHelpText('after', HELP);
