import { defaultSettings } from '../../config/settings.js';
import { isScalar, variableOf } from '../../config/texts.js';

/** A term and what it is. */
export interface Row {
  term: string;
  about: string;
}

/** Those that are no setting. */
const VARIABLES: readonly Row[] = [
  { term: 'MEMPALACE_CONFIG', about: 'the configuration file; /dev/null for none' },
  { term: 'MEMPALACE_MODELS', about: 'folder of the models that were pulled' },
  { term: 'MEMPALACE_API_KEY', about: 'sent as a bearer token to a server that is named as a model' },
  { term: 'OPENAI_API_KEY', about: 'the same, where MEMPALACE_API_KEY is not set' },
  { term: 'OPENCODE_DB', about: "opencode's database; --db wins" },
  { term: 'OPENCODE_DATA_DIR', about: 'the folder where opencode keeps its database' },
  { term: 'HF_ENDPOINT', about: 'a mirror instead of https://huggingface.co' },
  { term: 'HF_TOKEN', about: 'sent to that host, and to no other' },
  { term: 'HF_HUB_OFFLINE', about: '1: no model is fetched' },
  { term: 'HTTPS_PROXY', about: 'proxy for https, as for curl (https_proxy too)' },
  { term: 'HTTP_PROXY', about: 'proxy for http (http_proxy too)' },
  { term: 'ALL_PROXY', about: 'proxy for both (all_proxy too)' },
  { term: 'NO_PROXY', about: 'hosts that are reached without one (no_proxy too)' },
  { term: 'PAGER', about: 'shows what is longer than the screen' },
  { term: 'NO_COLOR', about: 'not empty: no colours' },
  { term: 'FORCE_COLOR', about: 'colours also where the output is not a terminal' },
  { term: 'TERM', about: 'dumb: no colours on stderr' },
  { term: 'ZDOTDIR', about: 'where mempalace doctor looks for .zshrc, too' },
  { term: 'MEMPALACE_LOG_FILE', about: 'the log; --log-file wins' },
  { term: 'MEMPALACE_LOG_LEVEL', about: 'error, warn, info or debug; --log-level wins' },
  { term: 'JOURNAL_STREAM', about: 'set by systemd: lines of the journal bear their level' },
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
    about: 'where SQLite keeps large temporary files; those of a repair lie beside the palace',
  },
  { term: 'HOME', about: 'the home folder; all other places are below it unless they are named' },
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
    about: 'what agents wrote through mempalace-mcp: who and when',
  },
  { term: '~/.mempalace/identity.txt', about: 'who you are, for wake-up' },
  { term: '~/.config/mempalace/config.yaml', about: 'settings; mempalace config schema describes them' },
  {
    term: '~/.config/mempalace/projects',
    about: 'projects that mempalace-docs --all files, one folder a line',
  },
  {
    term: '~/.config/mempalace/approved.sha256',
    about: 'the mempalace.yaml files whose rules may pin, and what they were when the user approved them',
  },
  { term: '~/.mempalace/palace/backups/', about: 'the last backups, kept before what cannot be undone' },
  { term: '~/.cache/mempalace-docs/', about: 'staged documents; can be deleted at any time' },
  { term: '~/.cache/mempalace-session/', about: 'staged sessions; can be deleted at any time' },
  { term: '~/.local/share/mempalace/models/', about: 'models that were pulled' },
  { term: 'mempalace.yaml', about: "in a project's root: its wing, rooms, patterns and priorities" },
  { term: '.mempalaceignore', about: 'in a project: more ignore rules, in .gitignore syntax' },
];
