import { isDeepStrictEqual } from 'node:util';
import { stringify } from 'smol-toml';
import { type JsonPath, valueIn, withItem, withValue } from '../clients/json.js';
import { appended, eolOf, isWhole, parsed, partsOf } from '../clients/toml.js';
import { UserError } from '../core/errors.js';
import { HOOK_ENTRIES, HOOK_TIMEOUT, hookCommand, isHookCommand, programOfHook } from '../hooks/entries.js';
import { HOOKS, type Hook } from '../hooks/protocol.js';
import type { TextPiece } from './pieces.js';
import { isSameProgram } from './same-program.js';

type Harness = keyof typeof HOOK_ENTRIES;

/** @param program absolute */
interface Called {
  harness: Harness;
  file: string;
  program: string;
}

/** Claude Code (https://code.claude.com/docs/en/hooks) and Codex: lists of groups, by event. */
export function jsonHooks({ harness, file, program }: Called): TextPiece {
  const entries = HOOK_ENTRIES[harness];
  return {
    steps: ['hooks'],
    file,
    containers: [...entries.map(([event]) => ['hooks', event]), ['hooks']],
    set: (before) => {
      let text = before === undefined || before.trim() === '' ? '{}\n' : before;
      const own = ownIn(text);
      for (const { path, command } of own) {
        const right = corrected(command, harness, program);
        if (right !== command) text = withValue(text, [...path, 'command'], right);
      }
      for (const [event, hook] of entries) {
        if (own.some((each) => each.path[1] === event)) continue;
        const command = hookCommand(program, hook, harness);
        text = withItem(text, ['hooks', event], {
          hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT }],
        });
      }
      return text;
    },
    remove: (before) => {
      let text = before;
      for (let [first] = ownIn(text); first !== undefined; [first] = ownIn(text)) {
        const group = first.path.slice(0, 3);
        text = withValue(text, first.path, undefined);
        if (listAt(text, [...group, 'hooks']).length === 0) text = withValue(text, group, undefined);
      }
      return text;
    },
  };
}

/** Our hooks in a JSON text: `hooks.<event>[group].hooks[index]`. */
function ownIn(text: string): { path: JsonPath; command: string }[] {
  const events = text.trim() === '' ? {} : Object(valueIn(text, ['hooks']));
  return Object.keys(events).flatMap((event) =>
    listOf(events[event]).flatMap((group, at) =>
      listOf(Object(group).hooks).flatMap((hook, index) => {
        const { command } = Object(hook);
        return isHookCommand(command) ? [{ path: ['hooks', event, at, 'hooks', index], command }] : [];
      }),
    ),
  );
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const listAt = (text: string, path: JsonPath): unknown[] => listOf(valueIn(text, path));

/** A command with the path of this installation; one that the user changed, or that names no path, stays. */
function corrected(command: string, harness: Harness, program: string): string {
  for (const hook of HOOKS) {
    const named = programOfHook(command, hook, harness);
    if (named !== undefined && !isSameProgram(named, program)) return hookCommand(program, hook, harness);
  }
  return command;
}

/** Kimi (https://moonshotai.github.io/kimi-cli/en/customization/hooks.html): tables `[[hooks]]` of a TOML file. */
export function tomlHooks({ harness, file, program }: Called): TextPiece {
  return {
    steps: ['hooks'],
    file,
    containers: [],
    set: (before = '') => {
      const own = hooksIn(before).filter(isOwn);
      const missing = HOOK_ENTRIES[harness].filter(([name]) => !own.some(({ event }) => event === name));
      const right = own.map((hook) => ({ ...hook, command: corrected(hook.command, harness, program) }));
      const fresh = missing.map(([event, hook]: readonly [string, Hook]) => ({
        event,
        command: hookCommand(program, hook, harness),
        timeout: HOOK_TIMEOUT,
      }));
      const kept = isDeepStrictEqual(right, own);
      if (kept && fresh.length === 0) return before;
      const rest = kept ? withoutEmptyList(before) : withoutOwn(before);
      const text = [...(kept ? [] : right), ...fresh].reduce(
        (all, hook) => appended(all, block(hook, all)),
        rest,
      );
      return checked(text, before, [...hooksIn(rest), ...(kept ? [] : right), ...fresh]);
    },
    remove: withoutOwn,
  };
}

interface TomlHook extends Record<string, unknown> {
  event: unknown;
  command: string;
}

const isOwn = (hook: unknown): hook is TomlHook => isHookCommand(Object(hook).command);
const hooksIn = (text: string): unknown[] => listOf(parsed(text).hooks);
const block = (hook: object, around: string): string =>
  stringify({ hooks: [hook] })
    .trimStart()
    .replaceAll('\n', eolOf(around));

/** Kimi saves an empty list, beside which no table may stand. */
const withoutEmptyList = (text: string): string =>
  hooksIn(text).length === 0 ? text.replace(/^hooks\s*=\s*\[\s*\][ \t]*(?:\r?\n|$)/m, '') : text;

/** @throws UserError `config` unless the text differs from the one before by having exactly these hooks */
function checked(text: string, before: string, hooks: readonly unknown[]): string {
  const expected = { ...parsed(before), hooks: structuredClone(hooks) };
  if (isWhole(text) && isDeepStrictEqual({ hooks: [], ...parsed(text) }, expected)) return text;
  throw new UserError('config', 'it has hooks in a form that cannot be changed safely', {
    hint: 'add them by hand: contrib/README.md shows the lines',
  });
}

/** Removes the tables of our hooks, each with the empty line before it. */
function withoutOwn(text: string): string {
  const hooks = hooksIn(text);
  if (!hooks.some(isOwn)) return text;
  const kept: string[] = [];
  let at = -1;
  for (const { lines, trailing } of partsOf(text)) {
    const begins = /^\s*\[\[\s*["']?hooks["']?\s*\]\]/.test(lines[0] ?? '');
    if (begins) at += 1;
    if (!begins || !isOwn(hooks[at])) kept.push(...lines);
    else if ((kept.at(-1) ?? '').trim() === '') kept.pop();
    kept.push(...trailing);
  }
  return checked(
    kept.join(''),
    text,
    hooks.filter((hook) => !isOwn(hook)),
  );
}
