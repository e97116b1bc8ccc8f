import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { UserError } from '../common/errors.js';
import { type Folders, resolveFolders } from '../common/folders.js';
import { addProject, type ProjectList, readProjectList, removeProject } from '../config/projects.js';
import { EXIT } from './exit.js';
import type { BareSession } from './perform.js';
import { line } from './terminal.js';

/** `mempalace projects`. Returns the exit code. */
export async function runProjects(
  what: string,
  dir: string | undefined,
  { env, terminal }: BareSession,
): Promise<number> {
  const folders = resolveFolders(env);
  if (what === 'list') {
    if (dir !== undefined) throw new UserError('usage', 'projects list takes no folder');
    const list = readProjectList(folders);
    if (terminal.options.json) terminal.json(listJson(list));
    else printList(list, folders, terminal);
    return list.problems.length > 0 ? EXIT.incomplete : EXIT.done;
  }
  if (dir === undefined) throw new UserError('usage', `projects ${what}: a folder is missing`);
  const changed = what === 'add' ? add(dir, folders) : removeProject(folders, [resolve(dir), realOf(dir)]);
  const list = readProjectList(folders);
  if (terminal.options.json) terminal.json({ ...listJson(list), changed });
  const done = what === 'add' ? ['added to', 'is listed already in'] : ['removed from', 'is not listed in'];
  terminal.say(`${line(resolve(dir))} ${changed ? done[0] : done[1]} ${line(list.path)}`);
  return EXIT.done;
}

function add(dir: string, folders: Folders): boolean {
  const stat = statSync(dir, { throwIfNoEntry: false });
  if (stat === undefined) throw new UserError('not-found', `there is no folder ${JSON.stringify(dir)}`);
  if (!stat.isDirectory()) throw new UserError('usage', `${JSON.stringify(dir)} is not a folder`);
  return addProject(folders, resolve(dir));
}

function realOf(dir: string): string {
  try {
    return realpathSync(dir);
  } catch {
    return resolve(dir);
  }
}

function isThere(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
}

function listJson({ path, exists, projects, problems }: ProjectList) {
  return {
    path,
    exists,
    projects: projects.map(({ dir, line: at }) => ({ dir, line: at, there: isThere(dir) })),
    problems: problems.map(({ line: at, text, reason }) => ({ line: at, text, reason })),
  };
}

function printList(list: ProjectList, folders: Folders, terminal: BareSession['terminal']): void {
  for (const { dir } of list.projects) {
    terminal.data(`${line(dir)}${isThere(dir) ? '' : '  (there is no such folder)'}`);
  }
  for (const { line: at, text, reason } of list.problems) {
    terminal.warn(line(`${list.path}:${at}: ${reason}: ${text}`));
  }
  if (list.projects.length === 0) {
    const where = list.path.replace(`${folders.home}/`, '~/');
    terminal.note(`${line(where)} lists no project: mempalace projects add <dir>`);
  }
}
