import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Argument } from 'commander';
import { readTokenFile } from '../../../broker/tokens.js';
import {
  asksServer,
  CLIENTS,
  type Client,
  type Entry,
  isRemote,
  type Places,
} from '../../../clients/index.js';
import { UserError } from '../../../core/errors.js';
import { isLoopback } from '../../../core/loopback.js';
import { editFile } from '../../../platform/atomic-write.js';
import { inPackage } from '../../../platform/in-package.js';
import { textIfAny } from '../../../platform/read-text.js';
import { resolveLinks } from '../../../platform/resolve-links.js';
import { launcherOf } from '../../../schedule/index.js';
import { difference, HIDDEN } from '../../../setup/difference.js';
import { AGENT_IDS } from '../../../setup/pieces.js';
import { line, plain } from '../../../terminal/terminal.js';
import { EXIT } from '../../app/exit.js';
import { type CommonFlags, createCommand } from '../../app/options.js';
import { action, type CommandContext } from '../../app/runner.js';
import { type EntryFlags, entryCommand, entryConfig } from './config.js';

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
  new Argument(name, description).choices([...AGENT_IDS]);

export const command = createCommand('mcp', 'Add the MCP server to the configuration of a client')
  .addCommand(
    entryCommand('install', "Add the server to a client's configuration")
      .addArgument(client('<client>', 'the client'))
      .option('--dry-run', 'print the change; change nothing')
      .action(action(install)),
  )
  .addCommand(
    createCommand('remove', 'Remove that entry')
      .addArgument(
        client('[client]', 'the client (default: every client with an entry of this installation)'),
      )
      .option('--dry-run', 'print the change; change nothing')
      .action(action(remove)),
  )
  .addCommand(
    entryCommand('print', 'Print the entry that install adds')
      .addArgument(client('[client]', 'the client (default: every client)'))
      .action(action(print)),
  )
  .addHelpText('after', HELP);

const PROGRAM = 'mempalace-mcp';

type DryRunFlags = { dryRun?: boolean } & CommonFlags;

export async function install(
  context: CommandContext,
  flags: EntryFlags & DryRunFlags,
  id: string,
): Promise<void> {
  const entry = entryOf(context, flags, tokenIn);
  if (isRemote(entry)) warnUnencrypted(entry.url, context);
  for (const client of clientsOf(id)) await change(client, entry, flags, context);
}

export async function remove(
  context: CommandContext,
  flags: DryRunFlags,
  id: string | undefined,
): Promise<number> {
  let code: number = EXIT.done;
  for (const client of clientsOf(id)) {
    try {
      // Without a client, entries of other installations are kept.
      if (id === undefined && !isOurs(client, textIfAny(client.file(placesOf(context))))) continue;
      await change(client, undefined, flags, context);
    } catch (error) {
      if (id !== undefined || !(error instanceof UserError)) throw error;
      context.terminal.warn(line(error.message));
      code = EXIT.incomplete;
    }
  }
  return code;
}

export async function print(
  context: CommandContext,
  flags: EntryFlags,
  id: string | undefined,
): Promise<void> {
  const { terminal } = context;
  const entry = entryOf(context, flags, () => HIDDEN);
  const places = placesOf(context);
  const shown = clientsOf(id).map((client) => {
    const file = client.file(places);
    return { client: client.id, file, text: client.set(undefined, entry) };
  });
  terminal.json({ action: 'print', ...summaryOf(entry), clients: shown });
  if (terminal.options.json) return;
  for (const { file, text } of shown) {
    terminal.note(line(file));
    terminal.data(plain(text).trimEnd());
  }
}

/** @param id undefined for all of them */
function clientsOf(id: string | undefined): Client[] {
  return CLIENTS.filter((client) => id === undefined || client.id === id);
}

function placesOf({ env, folders: { home, config } }: CommandContext): Places {
  return { home, config, env, exists: existsSync };
}

/** @param token reads it from its file */
function entryOf(
  { config, folders }: CommandContext,
  flags: EntryFlags,
  token: (file: string) => string,
): Entry {
  const chosen = entryConfig(flags, config.origins.get('palace') === '--palace' ? config.palace : undefined);
  if (chosen.kind === 'program') return { command: launcherOf(folders.home, PROGRAM), args: chosen.args };
  const { url, tokenFile } = chosen;
  return { url, tokenFile, token: token(tokenFile) };
}

/** @throws UserError `config`, `not-found` */
function tokenIn(file: string): string {
  const token = readTokenFile(file);
  if (token !== undefined) return token;
  throw new UserError('not-found', `there is no file ${file}`, {
    hint: 'mempalace serve token add <name>, on the server, prints a token: store it there, with mode 600',
  });
}

function warnUnencrypted(url: string, { terminal }: CommandContext): void {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'http:' && !isLoopback(hostname))
    terminal.warn('the token is sent without encryption: use https, or a tunnel (docs/remote.md)');
}

/** For `--json`; the token is not part of it. */
function summaryOf(entry: Entry | undefined): { command: string[] | null; url: string | null } {
  if (entry === undefined) return { command: null, url: null };
  if (isRemote(entry)) return { command: null, url: entry.url };
  return { command: [entry.command, ...entry.args], url: null };
}

/** Whether `install` has written the entry of a client. */
function isOurs(client: Client, text: string | undefined): boolean {
  return text !== undefined && (startsThis(text) || asksServer(client, text));
}

/** Whether a configuration names the launcher of this installation, directly or by a link. */
function startsThis(text: string): boolean {
  const own = resolveLinks(inPackage(join('bin', PROGRAM)));
  return [...text.matchAll(/["']([^"'\n]*mempalace-mcp)["']/g)].some(
    ([, path = '']) => resolveLinks(path) === own,
  );
}

/** @param entry undefined removes it */
async function change(
  client: Client,
  entry: Entry | undefined,
  { dryRun = false }: DryRunFlags,
  context: CommandContext,
): Promise<void> {
  const { terminal } = context;
  const file = client.file(placesOf(context));
  const before = textIfAny(file);
  const after = named(file, () => {
    if (entry !== undefined) return client.set(before, entry);
    return before === undefined ? undefined : client.remove(before);
  });
  const changes = after !== undefined && after !== before;
  if (changes && !dryRun) editFile(file, after);
  const done = changes ? (entry === undefined ? 'removed' : 'installed') : 'unchanged';
  terminal.json({
    action: entry === undefined ? 'remove' : 'install',
    dry_run: dryRun,
    client: client.id,
    file,
    done,
    ...summaryOf(entry),
  });
  if (terminal.options.json) return;
  const verb = dryRun && changes ? `would be ${done}` : done;
  terminal.say(`${verb}  ${client.name}: ${line(file)}`);
  if (changes && dryRun) terminal.say((await difference(before ?? '', after)).map(plain).join('\n'));
  if (changes && !dryRun && entry !== undefined) terminal.note(`restart ${client.name} to load the tools`);
}

/** Adds the file name to an error. */
function named<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, hint } = error;
    throw new UserError(code, `${file}: ${message}`, { hint });
  }
}
