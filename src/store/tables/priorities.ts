import type { Priority } from '../../core/importance.js';
import type { Sql } from '../db/sql.js';

/** The user's marks of a drawer or a source, and the resulting ones. */
export interface Marks {
  /** Set by the user, else found in the source; a drawer without its own has that of its source. */
  priority: Priority | null;
  /** Set by the user for this drawer or source. */
  set_priority: Priority | null;
  /** A drawer is also pinned when its source is. */
  pinned: boolean;
  /** Set for this drawer or source. */
  set_pinned: boolean;
}

/** Undefined: unchanged. A priority of null: not set. */
export interface MarkChange {
  priority?: Priority | null | undefined;
  pinned?: boolean | undefined;
}

type Marked = 'drawers' | 'sources';
type MarkRow = Record<'pinned' | 'set_pinned', number> & Pick<Marks, 'priority' | 'set_priority'>;

const UNMARKED: Marks = { priority: null, set_priority: null, pinned: false, set_pinned: false };

const MARKS: Record<Marked, string> = {
  drawers: `
    SELECT coalesce(d.set_priority, s.set_priority, s.priority) AS priority, d.set_priority,
      max(d.pinned, s.pinned) AS pinned, d.pinned AS set_pinned
    FROM drawers d JOIN sources s ON s.id = d.source_id WHERE d.id = ?`,
  sources: `
    SELECT coalesce(set_priority, priority) AS priority, set_priority, pinned, pinned AS set_pinned
    FROM sources WHERE id = ?`,
};

/** Priorities and pins that the user sets. Filing does not change them. */
export class Priorities {
  constructor(private readonly sql: Sql) {}

  /** @param id row id of the drawer or source */
  of(what: Marked, id: number): Marks {
    const row = this.sql.get<MarkRow>(MARKS[what], id);
    return row === undefined
      ? UNMARKED
      : { ...row, pinned: row.pinned === 1, set_pinned: row.set_pinned === 1 };
  }

  set(what: Marked, id: number, { priority, pinned }: MarkChange): void {
    if (priority !== undefined)
      this.sql.run(`UPDATE ${what} SET set_priority = ? WHERE id = ?`, priority, id);
    if (pinned !== undefined) this.sql.run(`UPDATE ${what} SET pinned = ? WHERE id = ?`, pinned ? 1 : 0, id);
  }
}
