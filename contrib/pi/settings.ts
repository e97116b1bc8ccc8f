import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

type Environment = Record<string, string | undefined>;

export interface Settings {
  /** The agent's name in its diary and the write log. */
  agent: string;
  /** Milliseconds; 0 waits for ever. */
  timeoutMs: number;
  /** For `initialize` and `tools/list`; 0 waits for ever. */
  initTimeoutMs: number;
  /** Starts after the first, until the server answers again; 0 leaves a server that ended ended. */
  maxRespawns: number;
  /** Before the first of them; doubled for each. */
  backoffMs: number;
  debug: boolean;
  /** `mempalace`. */
  command: string;
  /** `mempalace-mcp`. */
  server: string;
  /** pi's folder of settings. */
  agentFolder: string;
}

const HERE = dirname(fileURLToPath(import.meta.url));

export function settingsOf(env: Environment = process.env, bin = join(HERE, '..', '..', 'bin')): Settings {
  // The launchers of this checkout know the Node that it was built with; PATH's may be pi's own.
  const program = (name: string) => (existsSync(join(bin, name)) ? join(bin, name) : name);
  const home = env.HOME || homedir();
  return {
    agent: env.MEMPALACE_AGENT_NAME?.trim() || 'pi',
    timeoutMs: numberOf(env.MEMPALACE_MCP_TIMEOUT_MS, 60_000),
    initTimeoutMs: numberOf(env.MEMPALACE_MCP_INIT_TIMEOUT_MS, 300_000),
    maxRespawns: numberOf(env.MEMPALACE_MCP_MAX_RESPAWNS, 2),
    backoffMs: numberOf(env.MEMPALACE_MCP_RESPAWN_BACKOFF_MS, 1_000),
    debug: !['', '0', 'false'].includes(env.MEMPALACE_EXT_DEBUG ?? ''),
    command: env.MEMPALACE_COMMAND || program('mempalace'),
    server: env.MEMPALACE_MCP_COMMAND || program('mempalace-mcp'),
    agentFolder: (env.PI_CODING_AGENT_DIR || join(home, '.pi', 'agent')).replace(/^~(?=$|\/)/, home),
  };
}

/** The default in place of what is not a whole number. */
function numberOf(text: string | undefined, otherwise: number): number {
  return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : otherwise;
}
