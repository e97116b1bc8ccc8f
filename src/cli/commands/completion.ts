import { Argument } from 'commander';
import { type CommonFlags, createCommand } from '../app/options.js';
import { bareAction } from '../app/runner.js';
import { COMPLETIONS, SHELLS, type Shell } from '../reference/shells.js';

const HELP = `
One script for all programs. It completes commands, options and their values,
files and folders, and the names of wings, rooms, agents and collections, if
they contain no blanks or signs that a shell reads. install.sh installs the same
script, so this is for other setups.

Examples:
  eval "$(mempalace completion bash)"   in ~/.bashrc
  source <(mempalace completion zsh)    in ~/.zshrc, after compinit
  mempalace completion fish | source    in ~/.config/fish/config.fish`;

const PROGRAMS = ['mempalace-docs', 'mempalace-session', 'mempalace', 'mempalace-mcp'];

export const command = createCommand('completion', 'Print a completion script for a shell')
  .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
  .addHelpText('after', HELP)
  .action(
    bareAction(async ({ terminal }, _: CommonFlags, shell: Shell) => {
      const script = PROGRAMS.map(COMPLETIONS[shell]).join('\n');
      terminal.json({ shell, script });
      terminal.data(script.trimEnd());
    }),
  );
