import { shellQuoted } from '../platform/shell-quoted.js';
import type { Harness, Hook } from './protocol.js';

/** An event of an agent's program, as its configuration names it, and the hook that is called. */
export type HookEntry = readonly [event: string, hook: Hook];

const [START, STOP, PRECOMPACT, POSTCOMPACT, END] = [
  ['SessionStart', 'session-start'],
  ['Stop', 'stop'],
  ['PreCompact', 'precompact'],
  ['PostCompact', 'postcompact'],
  ['SessionEnd', 'session-end'],
] as const;

/**
 * The hooks that `mempalace setup` writes; contrib/README.md names those that a user may add. Claude Code 2.0.77 ignores a whole
 * settings.json with an event that it does not know, such as PostCompact. Kimi CLI knows these four in all its releases with hooks.
 */
export const HOOK_ENTRIES = {
  'claude-code': [START, STOP, PRECOMPACT, END],
  codex: [START, STOP, ['SubagentStop', 'subagent-stop'], PRECOMPACT, POSTCOMPACT, END],
  kimi: [START, STOP, PRECOMPACT, END],
} as const satisfies Partial<Record<Harness, readonly HookEntry[]>>;

/** The agent waits no longer, seconds. */
export const HOOK_TIMEOUT = 10;

/** @param program a name on PATH, or an absolute path */
export const hookCommand = (program: string, hook: Hook, harness: Harness): string =>
  `${shellQuoted(program)} hook run --hook ${hook} --harness ${harness}`;

/** Whether a shell command calls our hook, in whatever installation. */
export const isHookCommand = (command: unknown): command is string =>
  typeof command === 'string' && /(?:^|[\s/"'])mempalace["']?\s+hook\s+run\b/.test(command);

/** The program of a command that `hookCommand` makes; undefined for one that the user changed. */
export function programOfHook(command: string, hook: Hook, harness: Harness): string | undefined {
  const end = ` hook run --hook ${hook} --harness ${harness}`;
  const first = command.endsWith(end) ? command.slice(0, -end.length) : '';
  const program = /^'(.*)'$/.exec(first)?.[1]?.replaceAll(`'\\''`, "'") ?? first;
  return program !== '' && shellQuoted(program) === first ? program : undefined;
}
