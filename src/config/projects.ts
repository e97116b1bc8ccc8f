import { rmSync } from 'node:fs';
import { isAbsolute, join, normalize } from 'node:path';
import { UserError } from '../core/errors.js';
import { replaceFile } from '../platform/atomic-write.js';
import type { Folders } from '../platform/folders.js';
import { readConfigText } from './read.js';
import { expandHome } from './texts.js';

export interface ListedProject {
  /** Absolute; the folder need not exist. */
  dir: string;
  /** Line of the list, from 1. */
  line: number;
}

export interface ProjectList {
  path: string;
  exists: boolean;
  /** Each folder once, in the list's order. */
  projects: ListedProject[];
  problems: { line: number; text: string; reason: string }[];
}

/** The list of the projects that `mempalace-docs --all` files. */
export function projectListPath(folders: Pick<Folders, 'config'>): string {
  return join(folders.config, 'mempalace', 'projects');
}

/**
 * Reads the list: one folder per line, starting with `/` or `~/`. Empty lines and lines that begin with `#` do not count.
 * A relative path is invalid, since a timer or cron runs in another folder.
 *
 * @throws UserError `config` when it exists and cannot be read
 */
export function readProjectList(folders: Pick<Folders, 'config' | 'home'>): ProjectList {
  const path = projectListPath(folders);
  const text = readConfigText(path);
  const list: ProjectList = { path, exists: text !== undefined, projects: [], problems: [] };
  const seen = new Set<string>();
  for (const [index, raw] of (text ?? '').split('\n').entries()) {
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
 * Adds a folder at the end of the list, which is created when absent. Returns false when the folder is already listed.
 *
 * @param dir absolute
 * @throws UserError `usage` for a name that does not fit on one line; `config` as `readProjectList`
 */
export function addProject(folders: Pick<Folders, 'config' | 'home'>, dir: string): boolean {
  if (/[\r\n\0]/.test(dir) || dir !== dir.trim()) {
    throw new UserError(
      'usage',
      `${JSON.stringify(dir)} begins or ends with a space or contains a line break, so it cannot be listed`,
    );
  }
  const { path, projects } = readProjectList(folders);
  if (projects.some((project) => project.dir === normalize(dir))) return false;
  const before = readConfigText(path) ?? HEAD;
  replaceFile(path, `${before}${before.endsWith('\n') || before === '' ? '' : '\n'}${dir}\n`);
  return true;
}

/** Removes folders from the list; other lines are unchanged, and an empty list is removed. False when none is listed. @throws as `readProjectList` */
export function removeProject(folders: Pick<Folders, 'config' | 'home'>, dirs: readonly string[]): boolean {
  const { path } = readProjectList(folders);
  const lines = (readConfigText(path) ?? '').split('\n');
  const kept = lines.filter((raw) => !dirs.includes(dirOf(raw.trim(), folders.home) ?? ''));
  if (kept.length === lines.length) return false;
  if (kept.join('\n') === HEAD) rmSync(path);
  else replaceFile(path, kept.join('\n'));
  return true;
}

const HEAD = '# Projects that `mempalace-docs --all` files: one folder per line, starting with / or ~/.\n';

/** The absolute folder of a line; undefined for a relative path. */
function dirOf(entry: string, home: string): string | undefined {
  const expanded = expandHome(entry, home);
  if (!isAbsolute(expanded) || expanded.includes('\0')) return undefined;
  return normalize(expanded).replace(/(?<=.)\/+$/, '');
}
