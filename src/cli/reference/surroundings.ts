import { defaultSettings } from '../../config/settings.js';
import { isScalar, variableOf } from '../../config/texts.js';

export type Row = readonly [term: string, about: string];

/** Those that are not settings. */
const VARIABLES: readonly Row[] = [
  ['MEMPALACE_AGENT_NAME', 'the agent, where --agent does not name one'],
  ['MEMPALACE_CONFIG', 'the configuration file; /dev/null for none'],
  ['MEMPALACE_MODELS', 'folder of the pulled models'],
  ['MEMPALACE_API_KEY', 'sent as a bearer token to a server used as a model'],
  ['OPENAI_API_KEY', 'the same, if MEMPALACE_API_KEY is not set'],
  ['OPENCODE_DB', "opencode's database; --db overrides it"],
  ['OPENCODE_DATA_DIR', 'the folder where opencode keeps its database'],
  ['HF_ENDPOINT', 'a mirror instead of https://huggingface.co'],
  ['HF_TOKEN', 'sent only to that host'],
  ['HF_HUB_OFFLINE', '1: models are not downloaded'],
  ['HTTPS_PROXY', 'proxy for https, as for curl (https_proxy too)'],
  ['HTTP_PROXY', 'proxy for http (http_proxy too)'],
  ['ALL_PROXY', 'proxy for both (all_proxy too)'],
  ['NO_PROXY', 'hosts that are reached without one (no_proxy too)'],
  ['PAGER', 'the pager for output longer than the screen'],
  ['NO_COLOR', 'not empty: no colours'],
  ['FORCE_COLOR', 'colours also where the output is not a terminal'],
  ['TERM', 'dumb: no colours, and no pager unless PAGER names one'],
  ['GIT_CONFIG_GLOBAL', "the user's configuration of git; names the file of what git ignores everywhere"],
  ['GIT_CONFIG_SYSTEM', 'the configuration of git for all users, instead of /etc/gitconfig'],
  ['GIT_CONFIG_NOSYSTEM', '1: that file is not read'],
  ['ZDOTDIR', 'mempalace doctor also looks for .zshrc here'],
  ['MEMPALACE_LOG_FILE', 'the log; --log-file overrides it'],
  ['MEMPALACE_LOG_LEVEL', 'error, warn, info or debug; --log-level overrides it'],
  ['JOURNAL_STREAM', 'set by systemd: lines in the journal get their level'],
  ['CODEX_HOME', "Codex's folder, instead of ~/.codex"],
  [
    'CLAUDE_CONFIG_DIR',
    "the folder of Claude Code's .claude.json and transcripts, instead of the home folder and ~/.claude",
  ],
  ['COPILOT_HOME', "Copilot CLI's folder, instead of ~/.copilot"],
  ['GEMINI_CLI_HOME', "the folder of Gemini CLI's .gemini, instead of the home folder"],
  ['KIMI_SHARE_DIR', "Kimi CLI's folder, instead of ~/.kimi"],
  ['KIMI_CODE_HOME', "Kimi Code's folder, instead of ~/.kimi-code"],
  ['PI_CODING_AGENT_DIR', "pi's folder, instead of ~/.pi/agent"],
  ['PI_CODING_AGENT_SESSION_DIR', 'another folder of sessions of pi'],
  ['QWEN_HOME', "Qwen Code's folder, instead of ~/.qwen"],
  ['QWEN_RUNTIME_DIR', 'another folder in which Qwen Code stores sessions'],
  ['PATH', 'where mempalace doctor looks for the programs'],
  ['SQLITE_TMPDIR', 'folder of large temporary files of SQLite; those of a repair are in the palace folder'],
  ['HOME', 'the home folder; all other default paths are below it'],
  ['XDG_CACHE_HOME', 'instead of ~/.cache'],
  ['XDG_CONFIG_HOME', 'instead of ~/.config'],
  ['XDG_DATA_HOME', 'instead of ~/.local/share'],
  ['XDG_STATE_HOME', 'instead of ~/.local/state'],
  ['XDG_RUNTIME_DIR', 'contains the socket of the broker, instead of ~/.mempalace/run'],
  ['DISPLAY', 'set where a browser has a screen; else, ui prints its link only'],
  ['WAYLAND_DISPLAY', 'as DISPLAY'],
  ['MEMPALACE_MCP_MAX_RESPAWNS', 'attempts of mempalace-mcp to reach a broker that ended (2)'],
  ['MEMPALACE_MCP_RESPAWN_BACKOFF_MS', 'milliseconds before the second attempt (1000), doubled each time'],
];

/** Environment variables that the programs read. */
export function variables(): Row[] {
  const settings = Object.keys(defaultSettings({ home: '' })).filter(isScalar);
  return [...settings.map((key): Row => [variableOf(key), `the setting ${key}`]), ...VARIABLES];
}

/** Files and folders of the programs. */
export const PLACES: readonly Row[] = [
  ['~/.mempalace/palace/palace.sqlite3', 'the palace'],
  ['~/.mempalace/palace/write-log.jsonl', 'writes of agents through mempalace-mcp: who and when'],
  ['~/.mempalace/palace/broker.json', 'the running broker; broker.log: when brokers began and ended'],
  ['~/.mempalace/identity.txt', 'who you are, for wake-up'],
  ['~/.config/mempalace/config.yaml', 'settings; mempalace config schema describes them'],
  ['~/.config/mempalace/projects', 'projects that mempalace-docs --all files, one folder per line'],
  [
    '~/.config/mempalace/approved.sha256',
    'the approved mempalace.yaml files, whose rules may pin, with their hashes',
  ],
  ['~/.mempalace/palace/backups/', 'the last backups, made before changes that cannot be undone'],
  ['~/.cache/mempalace-docs/', 'staged documents; can be deleted at any time'],
  ['~/.cache/mempalace-session/', 'staged sessions; can be deleted at any time'],
  ['~/.local/share/mempalace/models/', 'pulled models'],
  ['mempalace.yaml', "in a project's root: its wing, rooms, patterns and priorities"],
  ['.mempalaceignore', 'in a project: more ignore rules, in .gitignore syntax'],
];
