import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CLIENTS, type Client, HOMES } from '../clients/index.js';
import { isPackageOfPi } from '../clients/pi-packages.js';
import { UserError } from '../core/errors.js';
import { isRecord } from '../core/json.js';
import { suggest } from '../core/suggest.js';
import type { Folders } from '../platform/folders.js';
import { inPackage } from '../platform/in-package.js';
import { firstOn, foldersOnPath } from '../platform/on-path.js';
import { launcherOf } from '../schedule/index.js';
import { jsonHooks, tomlHooks } from './hook-pieces.js';
import { AGENT_IDS, type AgentId, type LinkPiece, type Piece, type TextPiece } from './pieces.js';
import { isSameProgram } from './same-program.js';

export interface SetupPlaces {
  home: string;
  /** `$XDG_CONFIG_HOME`, default `~/.config`. */
  config: string;
  /** `$XDG_DATA_HOME`, default `~/.local/share`. */
  data: string;
  env: NodeJS.ProcessEnv;
  /** The absolute path of one of our programs. */
  program(name: 'mempalace' | 'mempalace-mcp'): string;
}

/** The places of this machine and this installation. */
export function placesOf(context: { env: NodeJS.ProcessEnv; folders: Folders }): SetupPlaces {
  const { home, config, data } = context.folders;
  return { home, config, data, env: context.env, program: (name) => launcherOf(home, name) };
}

/** A program that can be made to remember. */
export interface Agent {
  readonly id: AgentId;
  readonly name: string;
  /** Its folders and files: if one exists, the agent is on this machine. */
  traces(places: SetupPlaces): string[];
  /** Its program, which may be on PATH before it was ever started. */
  readonly command?: string;
  pieces(places: SetupPlaces): Piece[];
  /** What the user does after its hooks were written, besides starting it again. */
  readonly remark?: string;
}

const fileOf = (client: Client, places: SetupPlaces): string =>
  client.file({ ...places, exists: existsSync });

function clientOf(id: AgentId): Client {
  const client = CLIENTS.find((each) => each.id === id);
  if (client === undefined) throw new Error(`no client ${id}`);
  return client;
}

/** The entry of the MCP server. */
function entry(id: AgentId, places: SetupPlaces): TextPiece {
  const client = clientOf(id);
  const program = places.program('mempalace-mcp');
  return {
    steps: ['mcp'],
    file: fileOf(client, places),
    containers: client.containers,
    set: (text) => {
      const present = text === undefined ? undefined : client.entryIn(text);
      if (text !== undefined && isChosen(present)) return text;
      const [command, ...args] = wordsOf(present);
      const starts = command !== undefined && isServer(command);
      if (text !== undefined && starts && isSameProgram(command, program)) return text;
      return client.set(text, { command: program, args: starts ? args : [] });
    },
    remove: (text) => (ownWords(client, text, program) === undefined ? text : client.remove(text)),
  };
}

/** The user turned it off, or asks a server of another machine, by its address or by another program. */
const isChosen = (present: unknown): boolean =>
  isRecord(present) &&
  ('url' in present ||
    present.enabled === false ||
    present.disabled === true ||
    wordsOf(present).slice(1).some(isServer));

const isServer = (word: string): boolean => /(?:^|\/)mempalace-mcp$/.test(word);

/** The program and its arguments, in whatever form a client has them. */
function wordsOf(present: unknown): string[] {
  const { command, args } = Object(present);
  return [command, args].flat().filter((word): word is string => typeof word === 'string');
}

/** The words of an entry that starts the server of this installation. */
function ownWords(client: Client, text: string, program: string): string[] | undefined {
  const present = client.entryIn(text);
  const [command = '', ...args] = isRecord(present) && !('url' in present) ? wordsOf(present) : [];
  return isServer(command) && isSameProgram(command, program) ? [command, ...args] : undefined;
}

const skillAt = (file: string, shared: boolean): LinkPiece => ({
  steps: ['skill'],
  file,
  target: inPackage('SKILL.md'),
  isCopy: (text) => /^name: mempalace$/m.test(text),
  shared,
});

/** Where every agent but Claude Code looks for skills; install.sh makes the same link. */
const sharedSkill = ({ home }: SetupPlaces): LinkPiece =>
  skillAt(join(home, '.agents', 'skills', 'mempalace', 'SKILL.md'), true);

const isPlugin = (text: string): boolean =>
  text.includes('export const Mempalace') && text.includes("'hook', 'run'");

/** https://opencode.ai/docs/plugins: it loads both folders. */
function plugin({ config }: SetupPlaces): LinkPiece {
  const [former, usual] = ['plugin', 'plugins'].map((folder) =>
    join(config, 'opencode', folder, 'mempalace.js'),
  );
  return {
    steps: ['hooks'],
    file: (existsSync(former ?? '') ? former : usual) ?? '',
    target: inPackage('contrib/opencode/mempalace.js'),
    isCopy: isPlugin,
  };
}

/** The extension brings the tools, too (contrib/pi/README.md). */
const extension = (places: SetupPlaces): LinkPiece => ({
  steps: ['mcp', 'hooks'],
  file: join(HOMES.pi(places), 'extensions', 'mempalace.ts'),
  target: inPackage('contrib/pi/mempalace.ts'),
  isCopy: () => false,
  isLoaded: isPackageOfPi(HOMES.pi(places), inPackage('')),
  shared: true,
});

const program = (places: SetupPlaces): string => places.program('mempalace');

const KNOWN: readonly Omit<Agent, 'name'>[] = [
  {
    id: 'claude-code',
    command: 'claude',
    traces: (places) => [HOMES['claude-code'](places), fileOf(clientOf('claude-code'), places)],
    pieces: (places) => [
      entry('claude-code', places),
      jsonHooks({
        harness: 'claude-code',
        file: join(HOMES['claude-code'](places), 'settings.json'),
        program: program(places),
      }),
      skillAt(join(HOMES['claude-code'](places), 'skills', 'mempalace', 'SKILL.md'), false),
    ],
  },
  {
    id: 'opencode',
    command: 'opencode',
    traces: ({ config, data }) => [join(config, 'opencode'), join(data, 'opencode')],
    pieces: (places) => [entry('opencode', places), plugin(places), sharedSkill(places)],
  },
  {
    id: 'codex',
    command: 'codex',
    remark: 'Codex runs no hook until you trust it: start codex, and choose "Trust all and continue"',
    traces: (places) => [HOMES.codex(places)],
    pieces: (places) => [
      entry('codex', places),
      jsonHooks({
        harness: 'codex',
        file: join(HOMES.codex(places), 'hooks.json'),
        program: program(places),
      }),
      sharedSkill(places),
    ],
  },
  {
    id: 'cursor',
    command: 'cursor',
    traces: ({ home }) => [join(home, '.cursor')],
    pieces: (places) => [entry('cursor', places), sharedSkill(places)],
  },
  {
    id: 'pi',
    traces: (places) => [HOMES.pi(places)],
    pieces: (places) => [extension(places), sharedSkill(places)],
  },
  {
    id: 'kimi',
    traces: (places) => [HOMES.kimi(places)],
    pieces: (places) => [
      entry('kimi', places),
      tomlHooks({ harness: 'kimi', file: join(HOMES.kimi(places), 'config.toml'), program: program(places) }),
      sharedSkill(places),
    ],
  },
];

export const AGENTS: readonly Agent[] = KNOWN.map((agent) => ({ ...agent, name: clientOf(agent.id).name }));

/** Names of programs that people type for an agent. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  claudecode: 'claude-code',
  'open-code': 'opencode',
  'kimi-cli': 'kimi',
};

/** @throws UserError `usage` */
export function agentNamed(name: string): Agent {
  const found = AGENTS.find(({ id }) => id === name);
  if (found !== undefined) return found;
  const meant = OTHER_NAMES[name.toLowerCase()] ?? suggest(name, AGENT_IDS);
  throw new UserError('usage', `${JSON.stringify(name)} is not one of ${AGENT_IDS.join(', ')}`, {
    hint:
      meant === undefined
        ? 'mempalace setup, without a name, takes those of this machine'
        : `did you mean ${meant}?`,
  });
}

/** The agents of this machine, by their files. */
export const agentsHere = (places: SetupPlaces): Agent[] =>
  AGENTS.filter((agent) => agent.traces(places).some((path) => existsSync(path)));

/** The agents of this machine, by their files or by their program on PATH. */
export function agentsFound(places: SetupPlaces): Agent[] {
  const here = agentsHere(places);
  const folders = foldersOnPath(places.env);
  return AGENTS.filter(
    (agent) =>
      here.includes(agent) || (agent.command !== undefined && firstOn(folders, agent.command) !== undefined),
  );
}
