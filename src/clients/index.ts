import { join } from 'node:path';
import { UserError } from '../core/errors.js';
import { type Client, type Entry, SERVER_NAME } from './entry.js';
import { withEntry, withValue } from './json.js';
import { withTable, withEntry as withTableEntry } from './toml.js';

export type { Client, Entry, Places } from './entry.js';

/** A client that stores its servers in a JSON object. */
function jsonClient({
  key,
  entryOf,
  empty = '{}\n',
  strict = false,
  ...client
}: Pick<Client, 'id' | 'name' | 'file'> & {
  /** The key of that object. */
  key: string;
  entryOf: (entry: Entry) => Record<string, unknown>;
  /** The content of a new file. */
  empty?: string;
  /** The client reads nothing from a file with comments or trailing commas. */
  strict?: boolean;
}): Client {
  const path = [key, SERVER_NAME];
  return {
    ...client,
    set: (text, entry) => {
      const changed = withEntry(isBlank(text) ? empty : text, path, entryOf(entry));
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

/** https://opencode.ai/docs/mcp-servers: opencode.json or opencode.jsonc; opencode reads both if both exist. */
const opencode = jsonClient({
  id: 'opencode',
  name: 'opencode',
  file: ({ config, exists }) => {
    const json = join(config, 'opencode', 'opencode.json');
    return exists(`${json}c`) && !exists(json) ? `${json}c` : json;
  },
  key: 'mcp',
  entryOf: ({ command, args }) => ({ type: 'local', command: [command, ...args], enabled: true }),
  empty: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
});

/** `claude mcp add --scope user` writes to the same file. */
const claudeCode = jsonClient({
  id: 'claude-code',
  name: 'Claude Code',
  file: ({ home, env }) => join(env.CLAUDE_CONFIG_DIR || home, '.claude.json'),
  key: 'mcpServers',
  entryOf: ({ command, args }) => ({ type: 'stdio', command, args }),
});

const cursor = jsonClient({
  id: 'cursor',
  name: 'Cursor',
  file: ({ home }) => join(home, '.cursor', 'mcp.json'),
  key: 'mcpServers',
  entryOf: ({ command, args }) => ({ command, args }),
});

const codex: Client = {
  id: 'codex',
  name: 'Codex',
  file: ({ home, env }) => join(env.CODEX_HOME || join(home, '.codex'), 'config.toml'),
  set: (text = '', { command, args }) =>
    withTableEntry(text, 'mcp_servers', SERVER_NAME, { command, args: [...args] }),
  remove: (text) => withTable(text, 'mcp_servers', SERVER_NAME, undefined),
};

/** pi 0.99 and later; earlier ones need our extension (contrib/pi). By default it declares no tool to the model. */
const pi = jsonClient({
  id: 'pi',
  name: 'pi',
  file: ({ home, env }) => join(env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent'), 'mcp.json'),
  key: 'mcpServers',
  entryOf: ({ command, args }) => ({ command, args, exposure: 'direct' }),
  strict: true,
});

/** `kimi mcp add` writes to the same file. */
const kimi = jsonClient({
  id: 'kimi',
  name: 'Kimi CLI',
  file: ({ home, env }) => join(env.KIMI_SHARE_DIR || join(home, '.kimi'), 'mcp.json'),
  key: 'mcpServers',
  entryOf: ({ command, args }) => ({ command, args }),
  strict: true,
});

export const CLIENTS: readonly Client[] = [opencode, claudeCode, codex, cursor, pi, kimi];
