import { Argument } from 'commander';
import { type CommonFlags, createCommand } from '../../app/options.js';
import { performBare } from '../../app/runner.js';
import { SHELLS } from './shells.js';

const HELP = `
One script for mempalace, mempalace-docs and mempalace-session. It completes
commands, options and their values, files and folders; not what the palace holds
(wings, rooms, ids). install.sh installs the same, so this is for other set-ups.

Examples:
  eval "$(mempalace completion bash)"   in ~/.bashrc
  source <(mempalace completion zsh)    in ~/.zshrc, after compinit
  mempalace completion fish | source    in ~/.config/fish/config.fish`;

export const completion = createCommand('completion', 'Print the script that completes commands in a shell')
  .addArgument(new Argument('<shell>', 'the shell that reads the script').choices(SHELLS))
  .addHelpText('after', HELP)
  .action((shell: string, flags: CommonFlags) =>
    performBare(flags, async (context) => (await import('./run.js')).printCompletion(shell, flags, context)),
  );
