import { PATCH_BEGIN, touchesOfPatch } from './patch.js';
import type { FileTouch } from './types.js';

/** One word of a command without expansion, redirection or substitution. */
const WORD = /'[^']*'|"[^"$`\\]*"|[\w@%+=:,./~-]+/y;
const NUMBER = /^-?\d+$/;
const EXTENSION = /[^/.]\.(\w+)$/;
const APPLIES_PATCH = /(?:^|&&|;|\n)\s*apply_?patch\b/;

/** How a command begins that may touch a file: most do not, and are not cut into words. */
const TOUCHING = /^\s*['"]?(?:git|mv|rm|cat|nl|head|tail|sed)\b/;

/** Commands that only read the files that they name. */
const READERS: Readonly<Record<string, (words: readonly string[]) => readonly string[] | undefined>> = {
  cat: withoutFlags,
  nl: withoutFlags,
  head: withoutCount,
  tail: withoutCount,
  // Only a range of lines to print: any other script may write.
  sed: ([flag, range = '', ...files]) =>
    flag === '-n' && /^\d+(?:,(?:\d+|\$))?p$/.test(range) ? files : undefined,
};

/**
 * The files that a shell command certainly touches: those of a patch that it applies, and those that a single command
 * without any shell syntax reads, deletes or renames. Anything else is not guessed.
 */
export function touchesOfCommand(command: string): FileTouch[] {
  if (command.includes(PATCH_BEGIN)) return APPLIES_PATCH.test(command) ? touchesOfPatch(command) : [];
  if (!TOUCHING.test(command)) return [];
  const [name = '', ...given] = wordsOf(command.trim()) ?? [];
  const [verb = '', ...words] = name === 'git' ? given : [name, ...given];
  if (verb === 'mv') return renameOf(words);
  if (verb === 'rm') return touches(words[0] === '-f' ? words.slice(1) : words, 'deleted');
  return name === 'git' || !Object.hasOwn(READERS, verb) ? [] : touches(READERS[verb]?.(words), 'read');
}

/** Undefined when the command contains anything but plain words. */
function wordsOf(command: string): string[] | undefined {
  const words: string[] = [];
  for (let at = 0; at < command.length; ) {
    WORD.lastIndex = at;
    const [word] = WORD.exec(command) ?? [];
    if (word === undefined) return undefined;
    words.push(/^['"]/.test(word) ? word.slice(1, -1) : word);
    at += word.length;
    if (at < command.length && command[at] !== ' ') return undefined;
    while (command[at] === ' ') at += 1;
  }
  return words;
}

function touches(paths: readonly string[] | undefined, action: 'read' | 'deleted'): FileTouch[] {
  if (paths === undefined || paths.some((path) => path === '' || path.startsWith('-'))) return [];
  return paths.map((path) => ({ path, action }));
}

/** A target without the same extension may be a folder. */
function renameOf(words: readonly string[]): FileTouch[] {
  const [from = '', path = '', ...more] = words;
  const extension = EXTENSION.exec(from)?.[1];
  if (more.length > 0 || extension === undefined || EXTENSION.exec(path)?.[1] !== extension) return [];
  return from.startsWith('-') ? [] : [{ path, action: 'renamed', from }];
}

function withoutFlags(words: readonly string[]): readonly string[] {
  return words.filter((word) => !/^-[A-Za-z]+$/.test(word));
}

function withoutCount(words: readonly string[]): readonly string[] {
  const [first = '', second = ''] = words;
  if (/^-[nc]$/.test(first) && NUMBER.test(second)) return words.slice(2);
  return /^-[nc]?\d+$/.test(first) ? words.slice(1) : words;
}
