import { Argument, type Command } from 'commander';
import { createCommand } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

/** Kept as src/clients has them, which are not loaded for a help text; a test compares them. */
export const CLIENT_IDS = ['opencode', 'claude-code', 'codex', 'cursor'] as const;

const HELP = `
Comments and all other entries of a configuration stay as they are, and doing it
twice changes nothing. A palace that is named with --palace is entered, too.

Examples:
  mempalace mcp install opencode             opencode starts it from now on
  mempalace mcp install codex --dry-run      show the change, touch nothing
  mempalace mcp print                        for other clients`;

const client = (name: string, description: string): Argument =>
  new Argument(name, description).choices([...CLIENT_IDS]);

/** What the server is started with. */
function withServerOptions(command: Command): Command {
  return command
    .option('--tools <which>', 'core, all, or names between commas (default: core)')
    .option('--read-only', 'leave out every tool that changes the palace')
    .option('--agent <name>', 'who the agent is (default: what the client calls itself)');
}

export const mcp = createCommand(
  'mcp',
  'Have an agent use the palace: enter the MCP server in its configuration',
)
  .addCommand(
    withServerOptions(createCommand('install', "Enter the server in a client's configuration"))
      .addArgument(client('<client>', 'whose configuration'))
      .option('--dry-run', 'print the change, touch nothing')
      .action(lazily(async () => (await import('./run.js')).install)),
  )
  .addCommand(
    createCommand('remove', 'Remove that entry')
      .addArgument(client('[client]', 'whose (default: every one that starts this installation)'))
      .option('--dry-run', 'print the change, touch nothing')
      .action(lazily(async () => (await import('./run.js')).remove)),
  )
  .addCommand(
    withServerOptions(createCommand('print', 'Print what install would enter'))
      .addArgument(client('[client]', 'for whom (default: for every client)'))
      .action(lazily(async () => (await import('./run.js')).print)),
  )
  .addHelpText('after', HELP);
