import { resolve } from 'node:path';
import { UserError } from '../../../core/errors.js';
import { chooseTools } from '../../../mcp/registry.js';
import { createCommand, type FlagsOf } from '../../app/options.js';

/** Options of the server. */
export const entryCommand = (name: string, description: string) =>
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

type EntryConfig =
  /** Arguments of the program that the client starts. */
  | { kind: 'program'; args: string[] }
  /** `tokenFile` is absolute. */
  | { kind: 'remote'; url: string; tokenFile: string };

/**
 * @param palace what `--palace` names, if it was given
 * @throws UserError `usage`
 */
export function entryConfig(flags: Omit<EntryFlags, 'color'>, palace: string | undefined): EntryConfig {
  const { tools, readOnly = false, agent, url, tokenFile } = flags;
  if (tools !== undefined) chooseTools(tools);
  const args = [
    ...(palace === undefined ? [] : ['--palace', palace]),
    ...(tools === undefined ? [] : ['--tools', tools]),
    ...(readOnly ? ['--read-only'] : []),
    ...(agent === undefined ? [] : ['--agent', agent]),
  ];
  if (url === undefined && tokenFile === undefined) return { kind: 'program', args };
  if (url === undefined || tokenFile === undefined)
    throw new UserError('usage', '--url and --token-file go together', {
      hint: 'mempalace serve token add <name>, on the server, prints a token',
    });
  const [other] = args;
  if (other !== undefined)
    throw new UserError('usage', `${other} is not for --url: the server decides`, {
      hint: 'mempalace serve token add has --read-only; writes are recorded under the name of the token',
    });
  return { kind: 'remote', url: serverUrl(url), tokenFile: resolve(tokenFile) };
}

/** Where `mempalace serve` answers, unless a proxy has another path. */
const PATH = '/mcp';

/** @throws UserError `usage` */
function serverUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new UserError('usage', '--url takes an address that begins with http:// or https://', {
      hint: ADDRESS,
    });
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw new UserError('usage', '--url takes an address without a name, a password or a query', {
      hint: ADDRESS,
    });
  url.pathname = url.pathname.replace(/\/+$/, '') || PATH;
  return url.href;
}

const ADDRESS = 'mempalace serve prints it: http://127.0.0.1:7425/mcp';
