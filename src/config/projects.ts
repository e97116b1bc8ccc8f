import { isAbsolute, join, normalize } from 'node:path';
import type { Folders } from '../common/folders.js';
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
 * count. A relative path is not taken: whoever runs the list, timer or cron, stands somewhere else.
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
    const expanded = expandHome(entry, folders.home);
    if (!isAbsolute(expanded) || expanded.includes('\0')) {
      list.problems.push({ line, text: entry, reason: 'not a path that starts with / or ~/' });
      continue;
    }
    const dir = normalize(expanded).replace(/(?<=.)\/+$/, '');
    if (seen.has(dir)) continue;
    seen.add(dir);
    list.projects.push({ dir, line });
  }
  return list;
}
