import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { lazilyBare } from '../../app/runner.js';
import { SHELLS } from '../../reference/shells.js';

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
  .action(lazilyBare(async () => (await import('./run.js')).printCompletion));
