import { lstatSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { z } from 'zod';
import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { PRIORITIES, type Priority } from '../../core/importance.js';
import { issueText } from '../../core/issues.js';
import { parseJson } from '../../core/json.js';
import { declaredTypeOf, typeName } from '../../core/source-type.js';
import { moveIntoPlace, temporaryNextTo } from '../../platform/atomic-write.js';
import { decodeText } from '../../platform/decode.js';
import { resolveLinks } from '../../platform/resolve-links.js';
import { HEAD_BYTES } from './content.js';
import { isAbsent, readInProject, skipForError } from './open-file.js';

/** A list of documents with their types and priorities, one JSON object per line. It is read from a project's root only. */
export const WATCHDOG_NAME = 'watchdog_manifest_v1.jsonl';

export interface Watched {
  type?: string | undefined;
  priority?: Priority | undefined;
}

/** A document as the survey finds it. */
interface ListedDocument {
  root: string;
  relativePath: string;
  absolutePath: string;
  priority?: Watched | undefined;
}

export interface WatchdogManifest {
  /** By relative path, in form NFC with `/`. Of two lines with the same path, the later one counts. */
  watched: ReadonlyMap<string, Watched>;
  /** Lines that are wrong, by number, and why. The others count. */
  wrong: { line: number; reason: string }[];
  /** As the file is written; empty if there is none. */
  text: string;
}

const MOST_BYTES = 8 * 1024 * 1024;

const wanted = (what: string) => ({ error: `this must be ${what}` });
const line = z.object(
  {
    path: z.string(wanted('a path below the folder of the manifest')).min(1, 'this must not be empty'),
    type: z
      .string(wanted('a word'))
      .transform(typeName)
      .refine((type) => type !== '', 'this must contain a letter or a digit')
      .optional(),
    priority: z.enum(PRIORITIES, wanted('high, medium or low')).optional(),
  },
  wanted('an object with path, type and priority'),
);

/**
 * Reads the manifest of a project. A link, and everything else that is not a regular file, counts as absent; the survey
 * reports it.
 *
 * @param root absolute, real
 * @returns with `skipped` where it exists and cannot be read
 */
export function readWatchdogManifest(root: string): WatchdogManifest & { skipped?: Skipped } {
  const file = join(root, WATCHDOG_NAME);
  const nothing = { watched: new Map(), wrong: [], text: '' };
  try {
    const { stat, head } = readInProject(file, root, MOST_BYTES);
    if (!stat.isFile()) return nothing;
    if (stat.size > MOST_BYTES)
      return {
        ...nothing,
        skipped: { origin: file, reason: 'too large', detail: `${stat.size} bytes`, problem: true },
      };
    return parseManifest(decodeText(head).text, root);
  } catch (error) {
    if (isAbsent(error)) return nothing;
    return { ...nothing, skipped: skipForError(file, error) };
  }
}

function parseManifest(text: string, root: string): WatchdogManifest {
  const watched = new Map<string, Watched>();
  const wrong: WatchdogManifest['wrong'] = [];
  for (const [index, row] of text.split(/\r?\n/).entries()) {
    if (row.trim() === '') continue;
    const read = parseLine(row, root);
    if ('reason' in read) wrong.push({ line: index + 1, reason: read.reason });
    else watched.set(read.path, { type: read.type, priority: read.priority });
  }
  return { watched, wrong, text };
}

function parseLine(row: string, root: string): (Watched & { path: string }) | { reason: string } {
  const value = parseJson(row);
  if (value === undefined) return { reason: 'not JSON' };
  const parsed = line.safeParse(value);
  if (!parsed.success) return { reason: issueText(parsed.error.issues[0], 'the line') };
  const path = pathBelow(parsed.data.path, root);
  return path === undefined ? { reason: 'path: it reaches outside the folder' } : { ...parsed.data, path };
}

/**
 * The path relative to the root; undefined when it reaches outside, by its words or through a link. A path may begin with
 * the name of the root itself, as in manifests that were written from the folder around it.
 */
function pathBelow(given: string, root: string): string | undefined {
  if (/^(?:[/\\~]|[a-z]:)/i.test(given) || given.includes('\0')) return undefined;
  const names = given
    .normalize('NFC')
    .split(/[/\\]/)
    .filter((name) => name !== '' && name !== '.');
  if (names.length === 0 || names.includes('..')) return undefined;
  if (
    names.length > 1 &&
    names[0] === basename(root).normalize('NFC') &&
    resolveLinks(join(root, names[0])) === undefined
  )
    names.shift();
  const isOutside = relative(root, nearestReal(root, names)).split(sep)[0] === '..';
  return isOutside ? undefined : names.join('/');
}

/** The longest part of the path that exists, without links. */
function nearestReal(root: string, names: readonly string[]): string {
  for (let length = names.length; length > 0; length--) {
    const found = resolveLinks(join(root, ...names.slice(0, length)));
    if (found !== undefined) return found;
  }
  return root;
}

/**
 * The text of a manifest with a line for each document that it does not contain. Its own lines stay as they are, also
 * wrong ones and those of documents that do not exist.
 */
export function withMissingLines(
  { text, watched }: Pick<WatchdogManifest, 'text' | 'watched'>,
  documents: readonly ListedDocument[],
): { text: string; added: string[] } {
  const missing = documents.filter(({ relativePath }) => !watched.has(relativePath));
  const lines = missing.map((document) => {
    const { relativePath: path, priority } = document;
    // Keys without a value are not written: the reader takes them from front matter and mempalace.yaml.
    return `${JSON.stringify({ path, type: typeOf(document), priority: priority?.priority })}\n`;
  });
  const end = text === '' || text.endsWith('\n') ? '' : '\n';
  return { text: text + end + lines.join(''), added: missing.map(({ relativePath }) => relativePath) };
}

/**
 * Replaces the manifest of a project as a whole.
 *
 * @param root absolute, real
 * @throws UserError `failed` when it is not a regular file
 */
export function writeWatchdogManifest(root: string, text: string): void {
  const file = join(root, WATCHDOG_NAME);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  if (stat?.isFile() === false) throw new UserError('failed', `${file} is not a regular file`);
  const temporary = temporaryNextTo(join(root, `.${WATCHDOG_NAME}`));
  try {
    writeFileSync(temporary, text, { flag: 'wx', mode: stat?.mode ?? 0o666 });
    moveIntoPlace(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function typeOf({ root, absolutePath, relativePath }: ListedDocument): string | undefined {
  try {
    const { head } = readInProject(absolutePath, root, HEAD_BYTES);
    return declaredTypeOf(relativePath, decodeText(head).text) ?? undefined;
  } catch {
    // The file vanished after it was found; its line says its path.
    return undefined;
  }
}
