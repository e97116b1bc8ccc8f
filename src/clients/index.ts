import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../core/errors.js';
import {
  type Client,
  headersOf,
  isRemote,
  type Places,
  type Program,
  type Remote,
  SERVER_NAME,
} from './entry.js';
import { valueIn, withEntry, withValue } from './json.js';
import { tableIn, withTable, withEntry as withTableEntry } from './toml.js';

export { type Client, type Entry, isRemote, type Places } from './entry.js';

type Home = (places: Pick<Places, 'home' | 'env'>) => string;

/** The folders of agents that a variable can name. */
export const HOMES = {
  'claude-code': ({ home, env }) => env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
  codex: ({ home, env }) => env.CODEX_HOME || join(home, '.codex'),
  pi: ({ home, env }) => env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'),
  kimi: ({ home, env }) => env.KIMI_SHARE_DIR || join(home, '.kimi'),
} satisfies Record<string, Home>;

/** A client that stores its servers in a JSON object. */
function jsonClient({
  key,
  program,
  remote,
  empty = '{}\n',
  strict = false,
  ...client
}: Pick<Client, 'id' | 'name' | 'file'> & {
  /** The key of that object. */
  key: string;
  program: (entry: Program) => Record<string, unknown>;
  remote: (entry: Remote) => Record<string, unknown>;
  /** The content of a new file. */
  empty?: string;
  /** The client reads nothing from a file with comments or trailing commas. */
  strict?: boolean;
}): Client {
  const path = [key, SERVER_NAME];
  return {
    ...client,
    containers: [[key]],
    entryIn: (text) => (isBlank(text) ? undefined : valueIn(text, path)),
    set: (text, entry) => {
      const before = isBlank(text) ? empty : text;
      const changed = isRemote(entry)
        ? withValue(before, path, remote(entry))
        : withEntry(before, path, program(entry));
      if (strict) checkStrict(changed, client.name);
      return changed;
    },
    remove: (text) => (isBlank(text) ? text : withValue(text, path, undefined)),
  };
}

/** @throws UserError `config` */
function checkStrict(text: string, name: string): void {
  try {
    JSON.parse(text);
  } catch {
    throw new UserError('config', `it has comments or trailing commas, so ${name} ignores all of it`, {
      hint: 'remove them, and run this again',
    });
  }
}

const isBlank = (text: string | undefined): text is undefined | '' =>
  text === undefined || text.trim() === '';

/**
 * https://opencode.ai/docs/mcp-servers: opencode.json or opencode.jsonc; opencode reads both if both exist. It replaces
 * `{file:…}` by the content of a file (https://opencode.ai/docs/config#variables).
 */
const opencode = jsonClient({
  id: 'opencode',
  name: 'opencode',
  file: ({ config, exists }) => {
    const json = join(config, 'opencode', 'opencode.json');
    return exists(`${json}c`) && !exists(json) ? `${json}c` : json;
  },
  key: 'mcp',
  program: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  remote: ({ url, tokenFile }) => ({
    type: 'remote',
    url,
    enabled: true,
    oauth: false,
    headers: headersOf(`{file:${tokenFile}}`),
  }),
  empty: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
});

/** `claude mcp add --scope user` writes to the same file (https://code.claude.com/docs/en/mcp). */
const claudeCode = jsonClient({
  id: 'claude-code',
  name: 'Claude Code',
  file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  key: 'mcpServers',
  program: ({ command, args }) => ({ type: 'stdio', command, args }),
  remote: ({ url, token }) => ({ type: 'http', url, headers: headersOf(token) }),
});

/** https://cursor.com/docs/mcp */
const cursor = jsonClient({
  id: 'cursor',
  name: 'Cursor',
  file: ({ home }) => join(home, '.cursor', 'mcp.json'),
  key: 'mcpServers',
  program: ({ command, args }) => ({ command, args }),
  remote: ({ url, token }) => ({ url, headers: headersOf(token) }),
});

/** https://developers.openai.com/codex/mcp: it ignores `headers`, and refuses a literal `bearer_token`. */
const codex: Client = {
  id: 'codex',
  name: 'Codex',
  file: (places) => join(HOMES.codex(places), 'config.toml'),
  containers: [],
  entryIn: (text) => tableIn(text, 'mcp_servers', SERVER_NAME),
  set: (text = '', entry) =>
    isRemote(entry)
      ? withTable(text, 'mcp_servers', SERVER_NAME, {
          url: entry.url,
          http_headers: headersOf(entry.token),
        })
      : withTableEntry(text, 'mcp_servers', SERVER_NAME, { command: entry.command, args: [...entry.args] }),
  remove: (text) => withTable(text, 'mcp_servers', SERVER_NAME, undefined),
};

/** pi 0.99 and later; earlier ones need our extension (contrib/pi). By default it declares no tool to the model. */
const pi = jsonClient({
  id: 'pi',
  name: 'pi',
  file: (places) => join(HOMES.pi(places), 'mcp.json'),
  key: 'mcpServers',
  program: ({ command, args }) => ({ command, args, exposure: 'direct' }),
  remote: ({ url, token }) => ({ url, headers: headersOf(token), exposure: 'direct' }),
  strict: true,
});

/** `kimi mcp add` writes to the same file (https://moonshotai.github.io/kimi-cli/en/customization/mcp.html). */
const kimi = jsonClient({
  id: 'kimi',
  name: 'Kimi CLI',
  file: (places) => join(HOMES.kimi(places), 'mcp.json'),
  key: 'mcpServers',
  program: ({ command, args }) => ({ command, args }),
  remote: ({ url, token }) => ({ url, headers: headersOf(token) }),
  strict: true,
});

/** Whether the entry of a configuration is exactly the one that asks a server, as `set` writes it. */
export function asksServer(client: Client, text: string): boolean {
  const entry = client.entryIn(text);
  const { url, headers, http_headers } = Object(entry);
  const { Authorization } = Object(headers ?? http_headers);
  if (typeof url !== 'string' || typeof Authorization !== 'string') return false;
  const token = Authorization.replace(/^Bearer /, '');
  const [, tokenFile = ''] = /^\{file:(.*)\}$/.exec(token) ?? [];
  return isDeepStrictEqual(entry, client.entryIn(client.set(undefined, { url, token, tokenFile })));
}

export const CLIENTS: readonly Client[] = [claudeCode, opencode, codex, cursor, pi, kimi];
