import { createCommand, durationOption, withCommonOptions } from '../app/options.js';
import { MCP_DEFAULTS, serve } from '../commands/server/run.js';

const HELP = `
It speaks the Model Context Protocol on stdin and stdout and is started by a
client, not by hand. It ends when stdin closes.

Examples:
  mempalace mcp install opencode    let a client start it
  mempalace-mcp --tools all         with all tools
  mempalace-mcp --read-only         without tools that write`;

export const program = withCommonOptions(
  createCommand('mempalace-mcp', 'The MCP server: gives agents access to the memory palace')
    .option(
      '--tools <which>',
      'core, all, sets or names, separated by commas; each tool uses context',
      MCP_DEFAULTS.tools,
    )
    .option('--read-only', 'leave out every tool that changes the palace')
    .option(
      '--agent <name>',
      'name of the agent (default: $MEMPALACE_AGENT_NAME, else the name that the client sends)',
    )
    .addOption(
      durationOption('--timeout <duration>', 'time limit of a call; most clients wait one minute').default(
        MCP_DEFAULTS.timeout,
        '50s',
      ),
    )
    .addHelpText('after', HELP)
    .action(serve),
);
