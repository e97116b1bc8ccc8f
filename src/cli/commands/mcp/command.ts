import { Argument } from 'commander';
import { createCommand, type FlagsOf } from '../../app/options.js';
import { lazily } from '../../app/runner.js';

/** Repeats src/clients, which is not loaded for --help; a test compares them. */
export const CLIENT_IDS = ['opencode', 'claude-code', 'codex', 'cursor', 'pi', 'kimi'] as const;

const HELP = `
Comments and all other entries of a configuration are kept. Installing twice
changes nothing. With --palace, the entry names that palace. With --url, the
client asks a server of another machine (mempalace serve, docs/remote.md).

Examples:
  mempalace mcp install opencode             add the server to opencode
  mempalace mcp install codex --dry-run      show the change only
  mempalace mcp print                        entries for other clients
  mempalace mcp install pi --url <url> --token-file <file>   ask that server`;

const client = (name: string, description: string): Argument =>
  new Argument(name, description).choices([...CLIENT_IDS]);

/** Options of the server. */
const entryCommand = (name: string, description: string) =>
  createCommand(name, description)
    .option('--tools <which>', 'core, all, sets or names, separated by commas (default: core)')
    .option('--read-only', 'leave out every tool that changes the palace')
    .option(
      '--agent <name>',
      'name of the agent (default: $MEMPALACE_AGENT_NAME, else the name that the client sends)',
    )
    .option('--url <url>', 'ask this server, in place of a program that the client starts')
    .option('--token-file <file>', 'the file with your token for that server (mode 600)');
export type EntryFlags = FlagsOf<ReturnType<typeof entryCommand>>;

export const mcp = createCommand('mcp', 'Add the MCP server to the configuration of a client')
  .addCommand(
    entryCommand('install', "Add the server to a client's configuration")
      .addArgument(client('<client>', 'the client'))
      .option('--dry-run', 'print the change; change nothing')
      .action(lazily(async () => (await import('./run.js')).install)),
  )
  .addCommand(
    createCommand('remove', 'Remove that entry')
      .addArgument(
        client('[client]', 'the client (default: every client with an entry of this installation)'),
      )
      .option('--dry-run', 'print the change; change nothing')
      .action(lazily(async () => (await import('./run.js')).remove)),
  )
  .addCommand(
    entryCommand('print', 'Print the entry that install adds')
      .addArgument(client('[client]', 'the client (default: every client)'))
      .action(lazily(async () => (await import('./run.js')).print)),
  )
  .addHelpText('after', HELP);
