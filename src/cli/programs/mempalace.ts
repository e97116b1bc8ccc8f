import type { Command } from 'commander';
import { createCommand, withCommonOptions } from '../app/options.js';
import { helpCommand } from '../commands/help.js';

const EXAMPLES = `
Examples:
  mempalace docs ~/my-project             file the documents of a project
  mempalace sessions                      file the sessions of your agents
  mempalace search "why do we round up"   find the passage again
  mempalace wake-up                       context for the start of a session
  mempalace status                        contents of the palace, and last runs`;

type Load = () => Promise<{ command: Command }>;

/** A command that is made of operations alone. */
const made =
  (name: keyof typeof import('../commands/operations.js')): Load =>
  async () => ({ command: (await import('../commands/operations.js'))[name] });

/** Each command with the module that declares it and does its work. A start loads no more than one of them. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, Load>>>> = {
  'Fill the palace:': {
    docs: async () => ({ command: (await import('./docs.js')).docs() }),
    sessions: async () => ({ command: (await import('./session.js')).sessions() }),
    mine: () => import('../commands/mine.js'),
  },
  'Find and read:': {
    search: () => import('../commands/search.js'),
    timeline: made('timeline'),
    show: () => import('../commands/show.js'),
    file: made('file'),
    related: made('related'),
    patterns: made('patterns'),
    'wake-up': () => import('../commands/wake-up.js'),
    list: made('list'),
    map: () => import('../commands/map.js'),
    collection: () => import('../commands/collection.js'),
    ui: () => import('../commands/ui.js'),
    set: made('set'),
    checkpoint: () => import('../commands/checkpoint/command.js'),
    summarise: () => import('../commands/summarise/command.js'),
    diary: made('diary'),
    facts: () => import('../commands/facts/command.js'),
    task: made('task'),
  },
  'Maintain the palace:': {
    status: () => import('../commands/status.js'),
    doctor: () => import('../commands/doctor.js'),
    log: () => import('../commands/log.js'),
    verify: () => import('../commands/verify/command.js'),
    repair: () => import('../commands/repair.js'),
    'repair-status': async () => ({ command: (await import('../commands/repair.js')).repairStatus }),
    backup: () => import('../commands/backup.js'),
    restore: () => import('../commands/restore.js'),
    forget: () => import('../commands/forget/command.js'),
    scrub: () => import('../commands/scrub.js'),
    suggestions: () => import('../commands/suggestions/command.js'),
    export: () => import('../commands/export.js'),
    import: () => import('../commands/import.js'),
    'import-chroma': () => import('../commands/import-chroma.js'),
    model: () => import('../commands/model.js'),
    reembed: () => import('../commands/reembed.js'),
  },
  'Set up:': {
    setup: () => import('../commands/setup/command.js'),
    init: () => import('../commands/init/command.js'),
    manifest: () => import('../commands/manifest.js'),
    config: () => import('../commands/config/command.js'),
    projects: () => import('../commands/projects/command.js'),
    schedule: () => import('../commands/schedule/command.js'),
    mcp: () => import('../commands/mcp/command.js'),
    broker: () => import('../commands/broker/command.js'),
    serve: () => import('../commands/serve/command.js'),
    completion: () => import('../commands/completion.js'),
    hook: () => import('../commands/hook/command.js'),
  },
};

/** By the names of the commands. */
export const COMMANDS: ReadonlyMap<string, Load> = new Map(Object.values(GROUPS).flatMap(Object.entries));

/** The commands of daily use. `mempalace --help` lists those of them that are declared, in this order. */
export const DAILY: readonly string[] = [
  ...['docs', 'sessions', 'search', 'show', 'ui', 'setup', 'status', 'doctor', 'forget', 'backup', 'restore'],
];

export function emptyProgram(): Command {
  const does = 'The memory palace: stores documents and sessions, and finds them again';
  return createCommand('mempalace', does).usage('[options] <command>');
}

/** `mempalace` with all its commands, for the manifest, the manuals and docs/cli.md. */
export async function wholeProgram(): Promise<Command> {
  const program = emptyProgram().addHelpText('after', EXAMPLES);
  for (const [group, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(group);
    for (const load of Object.values(commands)) program.addCommand((await load()).command);
  }
  return withCommonOptions(program.addCommand(helpCommand()));
}
