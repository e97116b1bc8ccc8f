import { parseArgs } from 'node:util';
import { UserError } from '../../../core/errors.js';
import { HARNESSES, type Harness, HOOKS, type Hook } from '../../../hooks/protocol.js';

/** Flags of `mempalace hook run` that have an effect. */
export interface HookRunFlags {
  hook?: string | undefined;
  harness?: string | undefined;
  palace?: string | undefined;
  logFile?: string | undefined;
  logLevel?: string | undefined;
}

export interface HookRunConfig {
  hook: Hook;
  harness: Harness;
}

/** @throws UserError `usage` */
export function hookRunConfig({ hook, harness }: HookRunFlags): HookRunConfig {
  return { hook: oneOf('--hook', HOOKS, hook), harness: oneOf('--harness', HARNESSES, harness) };
}

function oneOf<T extends string>(flag: string, choices: readonly T[], given: string | undefined): T {
  const known = choices.find((name) => name === given);
  if (known !== undefined) return known;
  const wrong = given === undefined ? 'is missing' : `takes ${choices.join(', ')}, not "${given}"`;
  throw new UserError('usage', `${flag} ${wrong}`);
}

/**
 * Parses `mempalace hook run ...` without commander, whose loading takes longer than the hook. Undefined for every
 * other command line, and for --help and --version.
 */
export function hookRunFlags(argv: readonly string[]): HookRunFlags | undefined {
  const [command, what, ...rest] = argv;
  if (command !== 'hook' || what !== 'run') return undefined;
  if (rest.some((argument) => ['-h', '--help', '--version'].includes(argument))) return undefined;
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: rest,
    options: { hook: text, harness: text, palace: text, 'log-file': text, 'log-level': text },
    strict: false,
  });
  const given = (name: string): string | undefined => {
    const value = values[name];
    return typeof value === 'string' ? value : undefined;
  };
  const [logFile, logLevel] = [given('log-file'), given('log-level')];
  return { hook: given('hook'), harness: given('harness'), palace: given('palace'), logFile, logLevel };
}
