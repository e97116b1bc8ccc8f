import { isAbsolute, join, normalize } from 'node:path';
import { UserError } from '../core/errors.js';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';
import { expandHome } from './texts.js';

/** A folder that the list names. */
export interface ListedProject {
  /** Absolute; it need not exist. */
  dir: string;
  /** Line of the list, from 1. */
  line: number;
}

export interface ProjectList {
  /** The list itself, whether it exists or not. */
  path: string;
  exists: boolean;
  /** Each folder once, in the list's order. */
  projects: ListedProject[];
  /** Lines that are not understood. */
  problems: { line: number; text: string; reason: string }[];
}

/** The list of the projects that `mempalace-docs --all` files. */
export function projectListPath(folders: Pick<Folders, 'config'>): string {
  return join(folders.config, 'mempalace', 'projects');
}

/**
 * Reads the list: one folder a line, absolute or from `~/` on; empty lines and lines that begin with `#` do not
 * count. A relative path is refused: a timer or cron runs in another folder.
 *
 * @throws UserError `config` when it is there and cannot be read
 */
export function readProjectList(folders: Pick<Folders, 'config' | 'home'>): ProjectList {
  const path = projectListPath(folders);
  const text = readConfigText(path);
  const list: ProjectList = { path, exists: text !== undefined, projects: [], problems: [] };
  const seen = new Set<string>();
  for (const [index, raw] of (text ?? '')
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const entry = raw.trim();
    if (entry === '' || entry.startsWith('#')) continue;
    const line = index + 1;
    const dir = dirOf(entry, folders.home);
    if (dir === undefined) {
      list.problems.push({ line, text: entry, reason: 'not a path that starts with / or ~/' });
      continue;
    }
    if (seen.has(dir)) continue;
    seen.add(dir);
    list.projects.push({ dir, line });
  }
  return list;
}

/**
 * Adds a folder at the end of the list, which is made when absent. Returns false when it is listed already.
 *
 * @param dir absolute
 * @throws UserError `usage` for a folder that one line cannot name; `config` as `readProjectList`
 */
export function addProject(folders: Pick<Folders, 'config' | 'home'>, dir: string): boolean {
  if (/[\r\n\0]/.test(dir) || dir !== dir.trim()) {
    throw new UserError(
      'usage',
      `${JSON.stringify(dir)} begins or ends in a space or contains a line break, so it cannot be listed`,
    );
  }
  const { path, projects } = readProjectList(folders);
  if (projects.some((project) => project.dir === normalize(dir))) return false;
  const before = readConfigText(path) ?? HEAD;
  replaceFile(path, `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}${dir}\n`);
  return true;
}

/**
 * Takes folders from the list; all other lines stay as they are. Returns false when none of them is listed.
 *
 * @throws UserError `config` as `readProjectList`
 */
export function removeProject(folders: Pick<Folders, 'config' | 'home'>, dirs: readonly string[]): boolean {
  const { path } = readProjectList(folders);
  const lines = (readConfigText(path) ?? '').split('\n');
  const kept = lines.filter((raw) => !dirs.includes(dirOf(raw.trim(), folders.home) ?? ''));
  if (kept.length === lines.length) return false;
  replaceFile(path, kept.join('\n'));
  return true;
}

const HEAD = '# Projects that `mempalace-docs --all` files: one folder a line, / or ~/ first.\n';

/** The folder that a line names, absolute; undefined when it names none. */
function dirOf(entry: string, home: string): string | undefined {
  const expanded = expandHome(entry, home);
  if (!isAbsolute(expanded) || expanded.includes('\0')) return undefined;
  return normalize(expanded).replace(/(?<=.)\/+$/, '');
}
