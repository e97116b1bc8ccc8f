import { renamed } from '../../core/renamed.js';
import type { Io } from '../../terminal/io.js';
import { EXIT } from '../app/exit.js';
import { builtProgram } from './manifest.js';
import type { CommandEntry, OptionEntry, Value } from './tree.js';

interface Offer {
  /** With their descriptions. */
  words: (readonly [word: string, about: string])[];
  /** The shell completes it. */
  path?: Value['path'];
  /** The palace stores more words. */
  stored?: Value['stored'];
  /** Precedes them. */
  before?: string;
  /** The value of `--palace`, if it was typed. */
  palace?: string | undefined;
}

/** A shell takes it as it is, so that it needs no quotes. */
const PLAIN = /^[\w.,:+@%/=-]+$/;

/** As `PLAIN`, in all scripts, and without what splits words in bash. Other stored names are not completed. */
const PLAIN_NAME = /^[\p{L}\p{N}_][\p{L}\p{M}\p{N}_.,+@%/-]*$/u;

/** `mempalace __complete <program> <word>...`, which the scripts of the shells call. */
export async function printCompletions(
  [name = '', ...typed]: readonly string[],
  { stdout, env }: Io,
): Promise<number> {
  const program = builtProgram(name);
  if (program === undefined) return EXIT.done;
  const offer = offered(program, joined(typed));
  const { stored, palace } = offer;
  const names =
    stored === undefined ? [] : await (await import('./stored-names.js')).storedNames(stored, palace, env);
  stdout.write(linesOf(offer, typed, names));
  return EXIT.done;
}

/**
 * What a shell offers at the end of a line, as it reads it: a word and its description in each line, and `:file` or `:folder`
 * where it completes paths itself.
 *
 * @param typed the words after the program; the last one is completed, and may be empty
 * @param names that the palace stores, for a word that is one of them
 */
export const completionLines = (
  program: CommandEntry,
  typed: readonly string[],
  names: readonly string[] = [],
): string => linesOf(offered(program, joined(typed)), typed, names);

function linesOf(
  { words, path, before = '' }: Offer,
  typed: readonly string[],
  names: readonly string[],
): string {
  const current = typed.at(-1) === '=' ? '' : (typed.at(-1) ?? '');
  const fitting = words.filter(([word]) => PLAIN.test(word) && word.startsWith(current));
  for (const name of names)
    if (PLAIN_NAME.test(name) && (before + name).startsWith(current)) fitting.push([before + name, '']);
  const lines = fitting.map(([word, about]) => `${word}\t${about.replaceAll('\n', ' ')}\n`);
  return lines.join('') + (path === undefined ? '' : `:${path}\n`);
}

/** bash gives `--limit=5` as three words, and completes the third alone. */
function joined(typed: readonly string[]): { before: string[]; current: string; assigned: string } {
  const before: string[] = [];
  for (const [at, word] of typed.entries()) {
    const isValue = typed[at - 1] === '=' && before.at(-1)?.endsWith('=') === true;
    if (isValue || (word === '=' && before.at(-1)?.startsWith('--') === true))
      before[before.length - 1] += word;
    else before.push(word);
  }
  const current = before.pop() ?? '';
  return {
    before,
    current,
    assigned: current === typed.at(-1) ? current.slice(0, current.indexOf('=') + 1) : '',
  };
}

/** @param assigned what the shell completes together with a value: `--limit=` */
function offered(program: CommandEntry, { before, current, assigned }: ReturnType<typeof joined>): Offer {
  let command = program;
  let place = 0;
  let isRest = false;
  let option: OptionEntry | undefined;
  const named = (name: string) => command.options.find(({ names, value }) => value && names.includes(name));
  let palace: string | undefined;
  for (const word of before) {
    const valued = option;
    option = undefined;
    if (valued !== undefined && (valued.value?.required === true || !word.startsWith('-'))) {
      if (valued.names.includes('--palace')) palace = word;
      continue;
    }
    if (word.startsWith('--palace=')) palace = word.slice('--palace='.length);
    const below = place === 0 && !isRest ? commandOf(command, word, program) : undefined;
    if (below !== undefined) command = below;
    else if (isRest || !word.startsWith('-')) place += 1;
    else if (word === '--') isRest = true;
    else option = named(word);
  }
  if (!isRest && current.startsWith('--') && current.includes('='))
    return { ...valuesOf(named(current.split('=')[0] ?? '')?.value, assigned), palace };
  if (option?.value !== undefined && (option.value.required || !current.startsWith('-')))
    return { ...valuesOf(option.value), palace };
  if (!isRest && current.startsWith('-'))
    return {
      words: command.options.flatMap(({ names, description }) =>
        names.map((name) => [name, description] as const),
      ),
    };
  const argument = command.arguments[place] ?? command.arguments.findLast(({ variadic }) => variadic);
  const { words: values, ...path } = valuesOf(argument);
  const below = place === 0 ? command.commands : [];
  return {
    words: [...below.map(({ name, description }) => [name, description] as const), ...values],
    ...path,
    palace,
  };
}

/** A former name of a command of the program leads to its group, too. */
function commandOf(group: CommandEntry, word: string, program: CommandEntry): CommandEntry | undefined {
  let found: CommandEntry | undefined = group;
  for (const name of group === program ? renamed(word).split(' ') : [word])
    found = found?.commands.find((each) => each.name === name);
  return found;
}

function valuesOf(value: Value | undefined, before = ''): Offer {
  const words = (value?.choices ?? []).map((word) => [before + word, ''] as const);
  const stored = value?.stored && { stored: value.stored, before };
  return value?.path === undefined ? { words, ...stored } : { words, path: value.path };
}
