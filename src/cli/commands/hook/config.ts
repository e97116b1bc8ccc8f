import { parseArgs } from 'node:util';
import { UserError } from '../../../core/errors.js';
import { HARNESSES, type Harness, HOOKS, type Hook } from '../../../hooks/index.js';

/** Flags of `mempalace hook run` that have an effect. */
export interface HookRunFlags {
  hook?: string;
  harness?: string;
  palace?: string;
  logFile?: string;
  logLevel?: string;
}

export interface HookRunConfig {
  hook: Hook;
  harness: Harness;
}

/** @throws UserError `usage` */
export function hookRunConfig({ hook, harness }: HookRunFlags): HookRunConfig {
  const known = HOOKS.find((name) => name === hook);
  if (known === undefined) throw unknownValue('--hook', HOOKS, hook);
  const program = HARNESSES.find((name) => name === harness);
  if (program === undefined) throw unknownValue('--harness', HARNESSES, harness);
  return { hook: known, harness: program };
}

function unknownValue(flag: string, choices: readonly string[], given: string | undefined): UserError {
  return new UserError(
    'usage',
    given === undefined ? `${flag} is missing` : `${flag} takes ${choices.join(', ')}, not "${given}"`,
  );
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
  const given = (name: string, key: keyof HookRunFlags): HookRunFlags => {
    const value = values[name];
    return typeof value === 'string' ? { [key]: value } : {};
  };
  return {
    ...given('hook', 'hook'),
    ...given('harness', 'harness'),
    ...given('palace', 'palace'),
    ...given('log-file', 'logFile'),
    ...given('log-level', 'logLevel'),
  };
}
