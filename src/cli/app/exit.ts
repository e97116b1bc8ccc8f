import type { ErrorCode } from '../../core/errors.js';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  incomplete: 3,
  nothingFound: 4,
  locked: 11,
  interrupted: 130,
  terminated: 143,
} as const;

/** The only place where an error becomes an exit code. */
const EXIT_OF: Record<ErrorCode, number> = {
  failed: EXIT.failed,
  'not-found': EXIT.failed,
  'no-such-name': EXIT.nothingFound,
  changed: EXIT.failed,
  unreadable: EXIT.failed,
  'palace-newer': EXIT.failed,
  'palace-damaged': EXIT.failed,
  unreachable: EXIT.failed,
  usage: EXIT.usage,
  config: EXIT.usage,
  locked: EXIT.locked,
  interrupted: EXIT.interrupted,
};

export function exitCodeOf(code: ErrorCode): number {
  return EXIT_OF[code];
}

/** For `--help` and the manuals. */
export const EXIT_MEANINGS: readonly (readonly [code: string, meaning: string])[] = [
  ['0', 'done'],
  ['1', 'failed'],
  ['2', 'wrong usage or a malformed mempalace.yaml or config.yaml'],
  ['3', 'done, except for what could not be read or was held back'],
  ['4', 'nothing found (search, facts query --quiet; …), no such wing or type'],
  ['11', 'another run has locked the palace'],
  ['130', 'interrupted (143: terminated)'],
];

/** The commands that return a code, where not all do. A group stands for all its commands. */
const RETURNED_BY: Readonly<Record<string, readonly string[]>> = {
  3: [
    ...[
      'mempalace-docs',
      'mempalace docs',
      'mempalace-session',
      'mempalace sessions',
      'mempalace mine',
      'mempalace summarise',
      'mempalace hook flush',
    ],
    ...['mempalace import', 'mempalace import-chroma', 'mempalace facts import', 'mempalace facts forget'],
    ...['mempalace forget', 'mempalace scrub', 'mempalace repair', 'mempalace restore', 'mempalace reembed'],
    ...['mempalace show', 'mempalace verify', 'mempalace manifest', 'mempalace projects list'],
    ...['mempalace schedule', 'mempalace mcp', 'mempalace broker install', 'mempalace setup'],
  ],
  4: [
    ...['mempalace search', 'mempalace list', 'mempalace map', 'mempalace file', 'mempalace patterns'],
    ...['mempalace collection', 'mempalace wake-up', 'mempalace diary read', 'mempalace task take'],
    ...['mempalace facts query', 'mempalace facts invalidate', 'mempalace facts forget', 'mempalace forget'],
    ...['mempalace scrub', 'mempalace export', 'mempalace verify', 'mempalace summarise'],
  ],
};

/** They open no palace. */
const WITHOUT_PALACE = [
  ...[
    'mempalace completion',
    'mempalace help',
    'mempalace config',
    'mempalace projects',
    'mempalace schedule',
  ],
  ...['mempalace mcp', 'mempalace log', 'mempalace init', 'mempalace serve token', 'mempalace model'],
];

const isBelow = (path: string, group: string): boolean => path === group || path.startsWith(`${group} `);

/** The codes that a command, or one of a group, can return, with their meanings. */
export function exitsOf(path: string): typeof EXIT_MEANINGS {
  return EXIT_MEANINGS.filter(([code]) => {
    if (code === '11') return !WITHOUT_PALACE.some((group) => isBelow(path, group));
    const named = RETURNED_BY[code];
    return named?.some((each) => isBelow(path, each) || isBelow(each, path)) ?? true;
  });
}

export function exitHelp(exits: typeof EXIT_MEANINGS): string {
  return `\nExit codes:\n${exits.map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`).join('\n')}`;
}
