import { Argument } from 'commander';
import { createCommand } from '../../app/options.js';
import { perform } from '../../app/runner.js';
import type { McpCommandFlags } from './run.js';

/** Kept as src/mcp/clients has them, which is not loaded for a help text; a test compares them. */
export const CLIENT_IDS = ['opencode', 'claude-code', 'codex', 'cursor'] as const;

const HELP = `
What it does:
  install   enter the server in the client's own configuration
  remove    take that entry out again; without a client, every one that starts
            this installation
  print     show what install would enter; without a client, for every one

Comments and all other entries stay as they are, and doing it twice changes
nothing. A palace that is named with --palace is entered, too.

Examples:
  mempalace mcp install opencode             opencode starts it from now on
  mempalace mcp install codex --dry-run      show the change, touch nothing
  mempalace mcp print                        for other clients`;

export const mcp = createCommand(
  'mcp',
  'Have an agent use the palace: enter the MCP server in its configuration',
)
  .addArgument(new Argument('<what>', 'what to do').choices(['install', 'remove', 'print']))
  .addArgument(new Argument('[client]', 'whose configuration').choices([...CLIENT_IDS]))
  .option('--tools <which>', 'core, all, or names between commas (default: core)')
  .option('--read-only', 'leave out every tool that changes the palace')
  .option('--agent <name>', 'who the agent is (default: what the client calls itself)')
  .option('--dry-run', 'print the change, touch nothing')
  .addHelpText('after', HELP)
  .action((what: string, client: string | undefined, flags: McpCommandFlags) =>
    perform(flags, async (context) => (await import('./run.js')).runMcp(what, client, flags, context)),
  );
