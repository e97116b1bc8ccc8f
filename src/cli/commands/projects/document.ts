import { statSync } from 'node:fs';
import { type ProjectList, readProjectList } from '../../../config/projects.js';
import type { Folders } from '../../../platform/folders.js';
import type { Document } from '../../../presentation/documents/index.js';

export function projectsDocument(folders: Pick<Folders, 'config' | 'home'>): Document<'projects'> {
  return listJson(readProjectList(folders));
}

export function listJson({ path, exists, projects, problems }: ProjectList): Document<'projects'> {
  return {
    path,
    exists,
    projects: projects.map(({ dir, line }) => ({ dir, line, there: isThere(dir) })),
    problems: problems.map(({ line, text, reason }) => ({ line, text, reason })),
  };
}

export function isThere(dir: string): boolean {
  return statSync(dir, { throwIfNoEntry: false })?.isDirectory() === true;
}
