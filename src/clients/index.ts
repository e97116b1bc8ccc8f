import { join } from 'node:path';
import { type Client, type Entry, SERVER_NAME } from './entry.js';
import { withEntry, withValue } from './json.js';
import { withTable, withEntry as withTableEntry } from './toml.js';

export type { Client, Entry, Places } from './entry.js';

/** A client that stores its servers in a JSON object. */
function jsonClient({
  key,
  entryOf,
  empty = '{}\n',
  ...client
}: Pick<Client, 'id' | 'name' | 'file'> & {
  /** The key of that object. */
  key: string;
  entryOf: (entry: Entry) => Record<string, unknown>;
  /** The content of a new file. */
  empty?: string;
}): Client {
  const path = [key, SERVER_NAME];
  return {
    ...client,
    set: (text, entry) => withEntry(isBlank(text) ? empty : text, path, entryOf(entry)),
    remove: (text) => (isBlank(text) ? text : withValue(text, path, undefined)),
  };
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

export const CLIENTS: readonly Client[] = [opencode, claudeCode, codex, cursor];
