import { createCommand, withCommonOptions } from '../app/options.js';
import { performBare } from '../app/runner.js';
import type { McpFlags } from '../commands/server/run.js';

const HELP = `
It speaks the Model Context Protocol on stdin and stdout and is started by a
client, not by hand. It ends when stdin closes.

Examples:
  mempalace mcp install opencode    have a client start it
  mempalace-mcp --tools all         with every tool there is
  mempalace-mcp --read-only         for agents that shall only read`;

/** `mempalace-mcp`, declared and not yet run. */
export const program = withCommonOptions(
  createCommand('mempalace-mcp', 'Let agents use the memory palace: the MCP server, for any client')
    .option('--tools <which>', 'core, all, or names between commas: each costs context', 'core')
    .option('--read-only', 'leave out every tool that changes the palace')
    .option('--agent <name>', 'who the agent is (default: what the client calls itself)')
    .option('--timeout <duration>', 'the longest that a call may take; most clients wait a minute', '50s')
    .addHelpText('after', HELP)
    .action((flags: McpFlags) =>
      performBare(
        flags,
        async (context) => {
          const { runServer } = await import('../commands/server/run.js');
          return runServer(flags, context);
        },
        // A client that ends its server would log a line on stderr as an error.
        () => undefined,
      ),
    ),
);
