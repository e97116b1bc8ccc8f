import {
  DOCUMENT_CLASSES,
  type DocumentClass,
  DROPPED_CLASSES,
  type DroppedClass,
  filesOf,
  VISITED_HIDDEN_FOLDERS,
} from './classes.js';
import { matcher } from './name-patterns.js';

/** Empty for a name without extension that is not known: the first line may make the file a shell script. */
interface NameVerdict {
  taken?: DocumentClass;
  reason?: string;
  /** The user's patterns cannot include it. */
  firm?: boolean;
}

const NOT_A_DOCUMENT = 'not a document';
const SOURCE_CODE = 'source code';

export function judgeName(name: string): NameVerdict {
  const rule = RULES.find((each) => each.test(name));
  if (rule !== undefined) return rule.verdict;
  return name.includes('.') ? { reason: NOT_A_DOCUMENT, firm: false } : {};
}

export function judgeFolderName(name: string): string | undefined {
  const dropped = FOLDERS.find((rule) => rule.test(name));
  if (dropped !== undefined) return dropped.reason;
  const hidden = name.startsWith('.') && !VISITED_HIDDEN_FOLDERS.includes(name.toLowerCase());
  return hidden ? 'hidden folder' : undefined;
}

/**
 * Judges a file without another class by its first line: the document class of the interpreter, `source code` for
 * another interpreter, undefined when the line does not begin with `#!`.
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

/** The class of a file by its name and its first line, or the reason to skip it. */
export function classByContent(
  name: string,
  relativePath: string,
  byName: DocumentClass | undefined,
  head: Uint8Array,
): DocumentClass | string {
  // A program named `install` or `news` is not a project note.
  if (byName !== undefined && (name.includes('.') || byName.suffixed === undefined)) return byName;
  const shebang = judgeShebang(Buffer.from(head.subarray(0, 256)).toString('latin1'));
  return shebang ?? byName ?? judgeFolders(relativePath) ?? NOT_A_DOCUMENT;
}

/** The class of a file without an extension by its folders: a note below a folder of such notes. */
export function judgeFolders(relativePath: string): DocumentClass | undefined {
  const folders = relativePath.toLowerCase().split('/').slice(0, -1);
  return DOCUMENT_CLASSES.find(({ below }) => below?.some((name) => folders.includes(name)) === true);
}

interface Rule {
  test(name: string): boolean;
  verdict: NameVerdict;
}

const isWildName = (pattern: string): boolean => /^[^.*]+\*$/.test(pattern);

/** The first match decides. `Dockerfile*` and LICENSE-… come after source code, because of `license.ts`. */
const RULES: readonly Rule[] = [
  ...DROPPED_CLASSES.filter((each) => each.firm || each.first).map(droppedRule),
  ...DOCUMENT_CLASSES.map((each) => takenRule(each, (pattern) => !isWildName(pattern))),
  ...DROPPED_CLASSES.filter((each) => !each.firm && !each.first).map(droppedRule),
  ...DOCUMENT_CLASSES.map((each) => {
    const suffixed = each.suffixed?.map((name) => new RegExp(`^${name}(?:[-_.].*|\\d*)$`, 'i'));
    return takenRule(each, isWildName, suffixed);
  }),
];
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
  const byFile = matcher(filesOf(each));
  return {
    test: (name) => exactly.has(name) || byFile(name),
    verdict: { reason: each.reason, firm: each.firm === true },
  };
}
