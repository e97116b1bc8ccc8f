import { defaultSettings } from '../../config/settings.js';
import { isScalar, variableOf } from '../../config/texts.js';

export interface Row {
  term: string;
  about: string;
}

/** Those that are not settings. */
const VARIABLES: readonly Row[] = [
  { term: 'MEMPALACE_CONFIG', about: 'the configuration file; /dev/null for none' },
  { term: 'MEMPALACE_MODELS', about: 'folder of the pulled models' },
  { term: 'MEMPALACE_API_KEY', about: 'sent as a bearer token to a server used as a model' },
  { term: 'OPENAI_API_KEY', about: 'the same, if MEMPALACE_API_KEY is not set' },
  { term: 'OPENCODE_DB', about: "opencode's database; --db overrides it" },
  { term: 'OPENCODE_DATA_DIR', about: 'the folder where opencode keeps its database' },
  { term: 'HF_ENDPOINT', about: 'a mirror instead of https://huggingface.co' },
  { term: 'HF_TOKEN', about: 'sent only to that host' },
  { term: 'HF_HUB_OFFLINE', about: '1: models are not downloaded' },
  { term: 'HTTPS_PROXY', about: 'proxy for https, as for curl (https_proxy too)' },
  { term: 'HTTP_PROXY', about: 'proxy for http (http_proxy too)' },
  { term: 'ALL_PROXY', about: 'proxy for both (all_proxy too)' },
  { term: 'NO_PROXY', about: 'hosts that are reached without one (no_proxy too)' },
  { term: 'PAGER', about: 'the pager for output longer than the screen' },
  { term: 'NO_COLOR', about: 'not empty: no colours' },
  { term: 'FORCE_COLOR', about: 'colours also where the output is not a terminal' },
  { term: 'TERM', about: 'dumb: no colours on stderr' },
  { term: 'ZDOTDIR', about: 'mempalace doctor also looks for .zshrc here' },
  { term: 'MEMPALACE_LOG_FILE', about: 'the log; --log-file overrides it' },
  { term: 'MEMPALACE_LOG_LEVEL', about: 'error, warn, info or debug; --log-level overrides it' },
  { term: 'JOURNAL_STREAM', about: 'set by systemd: lines in the journal get their level' },
  { term: 'CODEX_HOME', about: "Codex's folder, instead of ~/.codex" },
  {
    term: 'CLAUDE_CONFIG_DIR',
    about:
      "the folder of Claude Code's .claude.json and transcripts, instead of the home folder and ~/.claude",
  },
  { term: 'COPILOT_HOME', about: "Copilot CLI's folder, instead of ~/.copilot" },
  { term: 'GEMINI_CLI_HOME', about: "the folder of Gemini CLI's .gemini, instead of the home folder" },
  { term: 'KIMI_SHARE_DIR', about: "Kimi CLI's folder, instead of ~/.kimi" },
  { term: 'KIMI_CODE_HOME', about: "Kimi Code's folder, instead of ~/.kimi-code" },
  { term: 'PI_CODING_AGENT_DIR', about: "pi's folder, instead of ~/.pi/agent" },
  { term: 'PI_CODING_AGENT_SESSION_DIR', about: 'another folder of sessions of pi' },
  { term: 'QWEN_HOME', about: "Qwen Code's folder, instead of ~/.qwen" },
  { term: 'QWEN_RUNTIME_DIR', about: 'another folder in which Qwen Code stores sessions' },
  { term: 'PATH', about: 'where mempalace doctor looks for the programs' },
  {
    term: 'SQLITE_TMPDIR',
    about: 'folder of large temporary files of SQLite; those of a repair are in the palace folder',
  },
  { term: 'HOME', about: 'the home folder; all other default paths are below it' },
  { term: 'XDG_CACHE_HOME', about: 'instead of ~/.cache' },
  { term: 'XDG_CONFIG_HOME', about: 'instead of ~/.config' },
  { term: 'XDG_DATA_HOME', about: 'instead of ~/.local/share' },
];

/** Environment variables that the programs read. */
export function variables(): Row[] {
  const settings = Object.keys(defaultSettings({ home: '' })).filter(isScalar);
  return [...settings.map((key) => ({ term: variableOf(key), about: `the setting ${key}` })), ...VARIABLES];
}

/** Files and folders of the programs. */
export const PLACES: readonly Row[] = [
  { term: '~/.mempalace/palace/palace.sqlite3', about: 'the palace' },
  {
    term: '~/.mempalace/palace/write-log.jsonl',
    about: 'writes of agents through mempalace-mcp: who and when',
  },
  { term: '~/.mempalace/identity.txt', about: 'who you are, for wake-up' },
  { term: '~/.config/mempalace/config.yaml', about: 'settings; mempalace config schema describes them' },
  {
    term: '~/.config/mempalace/projects',
    about: 'projects that mempalace-docs --all files, one folder per line',
  },
  {
    term: '~/.config/mempalace/approved.sha256',
    about: 'the approved mempalace.yaml files, whose rules may pin, with their hashes',
  },
  {
    term: '~/.mempalace/palace/backups/',
    about: 'the last backups, made before changes that cannot be undone',
  },
  { term: '~/.cache/mempalace-docs/', about: 'staged documents; can be deleted at any time' },
  { term: '~/.cache/mempalace-session/', about: 'staged sessions; can be deleted at any time' },
  { term: '~/.local/share/mempalace/models/', about: 'pulled models' },
  { term: 'mempalace.yaml', about: "in a project's root: its wing, rooms, patterns and priorities" },
  { term: '.mempalaceignore', about: 'in a project: more ignore rules, in .gitignore syntax' },
];
