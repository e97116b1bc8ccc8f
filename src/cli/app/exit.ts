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
  ['4', 'nothing found (search, kg query --quiet; forget …), no such wing or type'],
  ['11', 'another run has locked the palace'],
  ['130', 'interrupted (143: terminated)'],
];

export const EXIT_HELP = `
Exit codes:
${EXIT_MEANINGS.map(([code, meaning]) => `  ${code.padEnd(5)}${meaning}`).join('\n')}`;
