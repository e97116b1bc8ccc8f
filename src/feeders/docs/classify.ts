import {
  DOCUMENT_CLASSES,
  type DocumentClass,
  DROPPED_CLASSES,
  type DroppedClass,
  VISITED_HIDDEN_FOLDERS,
} from './classes.js';

/** What a file's name says about it. */
export type NameVerdict =
  | { taken: DocumentClass }
  /** `firm`: no pattern of the user's brings it in. */
  | { reason: string; firm: boolean }
  /** No extension and no known name: a shell script when its first line says so. */
  | 'look inside';

export const NOT_A_DOCUMENT = 'not a document';
const SOURCE_CODE = 'source code';

/** Judges a file by its name alone. */
export function judgeName(name: string): NameVerdict {
  const early = EARLY.find((rule) => rule.test(name));
  if (early !== undefined) return early.verdict;
  const taken = TAKEN.find((rule) => rule.test(name));
  if (taken !== undefined) return taken.verdict;
  const late = LATE.find((rule) => rule.test(name));
  if (late !== undefined) return late.verdict;
  const named = NAMED.find((rule) => rule.test(name));
  if (named !== undefined) return named.verdict;
  return name.includes('.') ? { reason: NOT_A_DOCUMENT, firm: false } : 'look inside';
}

/** Why a folder of this name is not looked into, or undefined. */
export function judgeFolderName(name: string): string | undefined {
  const dropped = FOLDERS.find((rule) => rule.test(name));
  if (dropped !== undefined) return dropped.reason;
  const hidden = name.startsWith('.') && !VISITED_HIDDEN_FOLDERS.includes(name.toLowerCase());
  return hidden ? 'hidden folder' : undefined;
}

/**
 * What a first line of the form `#!…` makes of a file that fits no other class: a document class (the name of
 * one of its interpreters), other source code, or undefined when the line is something else.
 */
export function judgeShebang(head: string): DocumentClass | 'source code' | undefined {
  const line = /^#![ \t]*(\S+)(?:[ \t]+([^\r\n]*))?/.exec(head);
  if (line === null) return undefined;
  const words = [line[1] ?? '', ...(line[2] ?? '').split(/\s+/)];
  const program = words[0]?.split('/').at(-1) ?? '';
  const interpreter = program === 'env' ? words.slice(1).find((word) => !/^-|=/.test(word)) : program;
  const base = interpreter?.split('/').at(-1) ?? '';
  return DOCUMENT_CLASSES.find((each) => each.interpreters?.includes(base) === true) ?? SOURCE_CODE;
}

/** What a file without an extension is for where it lies: a note below a folder of such notes. */
export function judgeFolders(relativePath: string): DocumentClass | undefined {
  const folders = relativePath.toLowerCase().split('/').slice(0, -1);
  return DOCUMENT_CLASSES.find(({ below }) => below?.some((name) => folders.includes(name)) === true);
}

interface Rule {
  test(name: string): boolean;
  verdict: NameVerdict;
}

const isWildName = (pattern: string): boolean => /^[^.*]+\*$/.test(pattern);

const EARLY: Rule[] = DROPPED_CLASSES.filter((each) => each.firm || each.first).map(droppedRule);
/** Classes by extension or whole name; `Dockerfile*` and LICENSE-… come after source code, as in `license.ts`. */
const TAKEN: Rule[] = DOCUMENT_CLASSES.map((each) => takenRule(each, (pattern) => !isWildName(pattern)));
const LATE: Rule[] = DROPPED_CLASSES.filter((each) => !each.firm && !each.first).map(droppedRule);
const NAMED: Rule[] = DOCUMENT_CLASSES.map((each) =>
  takenRule(
    each,
    isWildName,
    each.suffixed?.map((name) => new RegExp(`^${name}(?:[-_.].*|\\d*)$`, 'i')),
  ),
);
const FOLDERS = DROPPED_CLASSES.filter((each) => each.folders !== undefined).map((each) => ({
  test: matcher(each.folders ?? []),
  reason: each.reason,
}));

function takenRule(each: DocumentClass, select: (pattern: string) => boolean, more: RegExp[] = []): Rule {
  const byFile = matcher(each.files.filter(select));
  return {
    test: (name) => byFile(name) || more.some((pattern) => pattern.test(name)),
    verdict: { taken: each },
  };
}

function droppedRule(each: DroppedClass): Rule {
  const exactly = new Set(each.exactly);
  const byFile = matcher([
    ...(each.files ?? []),
    ...(each.extensions ?? []).map((extension) => `*.${extension}`),
  ]);
  return {
    test: (name) => exactly.has(name) || byFile(name),
    verdict: { reason: each.reason, firm: each.firm === true },
  };
}

/**
 * One test for a whole list; a large tree has a hundred thousand names. Nearly all patterns are whole names or
 * `*.extension`, which are looked up; one expression holds the rest.
 */
function matcher(patterns: readonly string[]): (name: string) => boolean {
  const names = new Set<string>();
  const extensions = new Set<string>();
  const rest: string[] = [];
  for (const pattern of patterns) {
    if (!pattern.includes('*')) names.add(pattern);
    else if (pattern.startsWith('*.') && !pattern.includes('*', 1)) extensions.add(pattern.slice(2));
    else rest.push(pattern.replace(/[\\^$.|?+()[\]{}]/g, '\\$&').replaceAll('*', '.*'));
  }
  const expression = rest.length === 0 ? undefined : new RegExp(`^(?:${rest.join('|')})$`, 's');
  return (name) => {
    const lower = name.toLowerCase();
    if (names.has(lower) || expression?.test(lower) === true) return true;
    for (let dot = lower.indexOf('.'); dot !== -1; dot = lower.indexOf('.', dot + 1)) {
      if (extensions.has(lower.slice(dot + 1))) return true;
    }
    return false;
  };
}
