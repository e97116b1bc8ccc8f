import { basename } from 'node:path';
import type { Project } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import { pathOfKey } from '../../core/source-key.js';
import type { Sql } from '../db/sql.js';

/** A project as the palace remembers it. */
export interface FiledProject extends Project {
  wing: string;
}

const ID_DIGITS = 12;

/** The projects whose documents are filed. */
export class Projects {
  constructor(private readonly sql: Sql) {}

  all(): FiledProject[] {
    return this.sql.all<FiledProject>(
      'SELECT id, root, root_commit AS rootCommit, wing, folder FROM projects ORDER BY id',
    );
  }

  put(project: Project, wing: string): void {
    this.sql.run(
      `INSERT INTO projects(id, root, root_commit, wing, folder) VALUES (@id, @root, @rootCommit, @wing, @folder)
         ON CONFLICT(id) DO UPDATE SET root = excluded.root, root_commit = excluded.root_commit,
           wing = excluded.wing, folder = excluded.folder`,
      {
        id: project.id,
        root: project.root,
        rootCommit: project.rootCommit,
        wing,
        folder: project.folder,
      },
    );
  }

  /**
   * Lets a project go that no source belongs to any more. One with forgotten documents stays: found again under
   * another id, they would have other keys and come back.
   */
  removeIfEmpty(id: string): void {
    this.sql.run(
      `DELETE FROM projects WHERE id = @id AND NOT EXISTS (SELECT 1 FROM sources WHERE project_id = @id)
           AND NOT EXISTS (SELECT 1 FROM tombstones WHERE project_id = @id)`,
      { id },
    );
  }

  /** Relative paths of a project's documents, filed or forgotten. */
  pathsOf(id: string): string[] {
    const keys = this.sql.values<string>(
      `SELECT source_key FROM sources WHERE project_id = @id
       UNION SELECT source_key FROM tombstones WHERE project_id = @id`,
      { id },
    );
    return keys.map(pathOfKey);
  }
}

/** A folder that somebody wants to file, as it is on this machine now. */
export interface ProjectCandidate {
  root: string;
  rootCommit: string | null;
  name: string;
  /** Relative paths of the documents in it, asked for only when git cannot tell. */
  paths: () => readonly string[];
  /** Does a root that the palace remembers still exist here? */
  exists: (root: string) => boolean;
}

/**
 * Which project a folder is: the one filed from this root; else one whose root is gone and whose first
 * commit is the same (without git on one side: that has most of its relative paths); else a new one.
 */
export function identifyProject(
  candidate: ProjectCandidate,
  filed: readonly FiledProject[],
  pathsOf: (id: string) => readonly string[],
): { project: Project; filed: FiledProject | undefined } {
  const known =
    filed.find((project) => project.root === candidate.root) ?? movedProject(candidate, filed, pathsOf);
  if (known === undefined) {
    const id = newProjectId(candidate, new Set(filed.map((project) => project.id)));
    return {
      project: { id, root: candidate.root, rootCommit: candidate.rootCommit, folder: candidate.name },
      filed: undefined,
    };
  }
  const rootCommit = candidate.rootCommit ?? known.rootCommit;
  return {
    project: { id: known.id, root: candidate.root, rootCommit, folder: candidate.name },
    filed: known,
  };
}

/**
 * The folder name for a project below its wing: its own name, or, when another project of that wing has
 * it, the name with the first digits of the id.
 */
export function stagingFolder(project: Project, wing: string, filed: readonly FiledProject[]): string {
  const taken = filed.some(
    (other) => other.id !== project.id && other.wing === wing && other.folder === project.folder,
  );
  return taken ? `${project.folder}-${project.id.slice(0, 6)}` : project.folder;
}

function movedProject(
  candidate: ProjectCandidate,
  filed: readonly FiledProject[],
  pathsOf: (id: string) => readonly string[],
): FiledProject | undefined {
  const gone = filed.filter((project) => !candidate.exists(project.root));
  const { rootCommit } = candidate;
  const sameCommit = gone.filter((project) => rootCommit !== null && project.rootCommit === rootCommit);
  const comparable = gone.filter((project) => rootCommit === null || project.rootCommit === null);
  if (sameCommit.length === 1) return sameCommit[0];
  if (sameCommit.length + comparable.length === 0) return undefined;
  const present = new Set(candidate.paths());
  const shared = (project: FiledProject) => pathsOf(project.id).filter((path) => present.has(path)).length;
  const ranked = (projects: readonly FiledProject[]) =>
    projects
      .map((project) => ({
        project,
        shared: shared(project),
        named: basename(project.root) === candidate.name,
      }))
      .sort((a, b) => Number(b.named) - Number(a.named) || b.shared - a.shared);
  if (sameCommit.length > 0) return ranked(sameCommit)[0]?.project;
  return ranked(comparable)
    .filter(({ project, shared: count }) => count * 2 > pathsOf(project.id).length)
    .sort((a, b) => b.shared - a.shared)[0]?.project;
}

/** Derived from root and first commit, so that a dry run names the id that the real run will use. */
function newProjectId(candidate: ProjectCandidate, taken: ReadonlySet<string>): string {
  for (let attempt = 0; ; attempt += 1) {
    const id = sha256(`${candidate.root}\0${candidate.rootCommit ?? ''}\0${attempt}`).slice(0, ID_DIGITS);
    if (!taken.has(id)) return id;
  }
}
