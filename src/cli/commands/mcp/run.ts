import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, type Client, type Entry, type Places } from '../../../clients/index.js';
import { isErrno, UserError } from '../../../core/errors.js';
import { chooseTools } from '../../../mcp/registry.js';
import { replaceFile } from '../../../platform/atomic-write.js';
import { resolveFolders } from '../../../platform/folders.js';
import { inPackage } from '../../../platform/in-package.js';
import { binFolder } from '../../../schedule/index.js';
import { EXIT } from '../../app/exit.js';
import type { CommandContext } from '../../app/runner.js';
import { line, plain, type Terminal } from '../../terminal/terminal.js';
import { type McpCommandFlags, type McpConfig, mcpConfig } from './config.js';

export type { McpCommandFlags } from './config.js';

const PROGRAM = 'mempalace-mcp';

/** `mempalace mcp install|remove|print`. Returns the exit code. */
export async function runMcp(
  what: string,
  client: string | undefined,
  flags: McpCommandFlags,
  { config: settings, env, terminal }: CommandContext,
): Promise<number> {
  const named = settings.origins.get('palace') === '--palace' ? settings.palace : undefined;
  const config = mcpConfig(what, client, flags, named);
  if (flags.tools !== undefined) chooseTools(flags.tools);
  const { home, config: folder } = resolveFolders(env);
  const places: Places = { home, config: folder, env, exists: existsSync };
  const clients = CLIENTS.filter(({ id }) => config.client === undefined || id === config.client);
  const entry: Entry = { command: programPath(home), args: config.args };
  if (config.what === 'print') return print(clients, entry, places, terminal);
  // Of all clients only what starts this installation is removed: who names none may not know what else is there.
  const wanted =
    config.client === undefined
      ? clients.filter((each) => startsThis(textOf(each.file(places)) ?? ''))
      : clients;
  let code: number = EXIT.done;
  for (const each of wanted) {
    try {
      change(each, entry, config, places, terminal);
    } catch (error) {
      if (config.client !== undefined || !(error instanceof UserError)) throw error;
      terminal.warn(line(error.message));
      code = EXIT.incomplete;
    }
  }
  return code;
}

/** Where the launcher lies: clients that a desktop starts have no PATH to speak of. */
function programPath(home: string): string {
  const beside = join(binFolder(home, process.argv[1]), PROGRAM);
  return existsSync(beside) ? beside : join(binFolder('', undefined), PROGRAM);
}

/** Whether a configuration names the launcher of this installation, by whichever link. */
function startsThis(text: string): boolean {
  const own = realPathOf(inPackage(join('bin', PROGRAM)));
  return [...text.matchAll(/["']([^"'\n]*mempalace-mcp)["']/g)].some(
    ([, path = '']) => realPathOf(path) === own,
  );
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
}

function change(
  client: Client,
  entry: Entry,
  { what, dryRun }: McpConfig,
  places: Places,
  terminal: Terminal,
): void {
  const file = client.file(places);
  const before = textOf(file);
  const after = named(file, () => {
    if (what === 'install') return client.set(before, entry);
    return before === undefined ? undefined : client.remove(before);
  });
  const changes = after !== undefined && after !== before;
  if (changes && !dryRun) replaceFile(file, after);
  const done = changes ? (what === 'install' ? 'installed' : 'removed') : 'unchanged';
  if (terminal.options.json) {
    terminal.json({
      action: what,
      dry_run: dryRun,
      client: client.id,
      file,
      done,
      command: what === 'install' ? [entry.command, ...entry.args] : null,
    });
    return;
  }
  const verb = dryRun && changes ? `would be ${done}` : done;
  terminal.say(`${verb}  ${client.name}: ${line(file)}`);
  if (changes && dryRun) terminal.say(changeOf(before ?? '', after));
  if (changes && !dryRun && what === 'install')
    terminal.note(`restart ${client.name}: it has the tools then`);
}

function print(clients: readonly Client[], entry: Entry, places: Places, terminal: Terminal): number {
  const shown = clients.map((client) => {
    const file = client.file(places);
    return { client: client.id, file, text: client.set(undefined, entry) };
  });
  if (terminal.options.json) {
    terminal.json({ action: 'print', command: [entry.command, ...entry.args], clients: shown });
    return EXIT.done;
  }
  for (const { file, text } of shown) {
    terminal.note(line(file));
    terminal.data(plain(text).trimEnd());
  }
  return EXIT.done;
}

/** The lines that go and come, without those at the beginning and at the end that stay. */
function changeOf(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < Math.min(old.length, fresh.length) && old[start] === fresh[start]) start += 1;
  let end = 0;
  const most = Math.min(old.length, fresh.length) - start;
  while (end < most && old[old.length - 1 - end] === fresh[fresh.length - 1 - end]) end += 1;
  const gone = old.slice(start, old.length - end).map((text) => `- ${text}`);
  const come = fresh.slice(start, fresh.length - end).map((text) => `+ ${text}`);
  return [...gone, ...come].map(plain).join('\n');
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** What is wrong with a file is said with its name. */
function named<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const { code, message, hint } = error;
    throw new UserError(code, `${file}: ${message}`, hint === undefined ? {} : { hint });
  }
}
