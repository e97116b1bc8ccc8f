import type { FiledProject, Project } from '../../core/contract.js';
import { pathOfKey } from '../../core/source-key.js';
import type { Sql } from '../db/sql.js';

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
      { ...project, wing },
    );
  }

  /**
   * Deletes a project without sources. A project with forgotten documents stays: with another project id, these
   * documents would get other keys, and would be filed again.
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
