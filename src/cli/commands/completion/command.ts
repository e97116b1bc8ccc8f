import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { lazilyBare } from '../../app/runner.js';
import { SHELLS } from '../../reference/shells.js';

const HELP = `
One script for all programs. It completes commands, options and their values,
files and folders, but not wings, rooms or ids. install.sh installs the same
script, so this is for other setups.

Examples:
  eval "$(mempalace completion bash)"   in ~/.bashrc
  source <(mempalace completion zsh)    in ~/.zshrc, after compinit
  mempalace completion fish | source    in ~/.config/fish/config.fish`;

export const completion = createCommand('completion', 'Print a completion script for a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  .addHelpText('after', HELP)
  .action(lazilyBare(async () => (await import('./run.js')).printCompletion));
