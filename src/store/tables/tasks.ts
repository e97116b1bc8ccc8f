import type { Sql } from '../db/sql.js';
import { type Page, pageOf } from './page.js';

/** `taken`: an agent works on it. */
type TaskState = 'open' | 'taken' | 'done';

/** Work that one agent leaves to another. Times are ISO 8601, UTC; names of agents are as in the keys of diaries. */
export interface TaskRow {
  id: number;
  text: string;
  state: TaskState;
  /** The only agent that may take it; null: any. */
  agent: string | null;
  added_by: string;
  added_at: string;
  taken_by: string | null;
  taken_at: string | null;
  done_by: string | null;
  done_at: string | null;
  /** What came of it. */
  result: string | null;
}

const OPEN = { taken_by: null, taken_at: null, done_by: null, done_at: null, result: null };
type NewTask = Pick<TaskRow, 'text' | 'agent' | 'added_by' | 'added_at'> &
  Partial<Pick<TaskRow, keyof typeof OPEN>>;

interface TaskQuery {
  /** Default: all. */
  states?: readonly TaskState[] | undefined;
  /** Those that it took or that are for it. */
  agent?: string | undefined;
}

const STATE = `CASE WHEN done_at IS NOT NULL THEN 'done' WHEN taken_at IS NOT NULL THEN 'taken' ELSE 'open' END`;
const ROW = `id, text, ${STATE} AS state, agent, added_by, added_at, taken_by, taken_at, done_by, done_at, result`;
const WANTED = `(@states IS NULL OR ${STATE} IN (SELECT value FROM json_each(@states)))
  AND (@agent IS NULL OR taken_by = @agent OR agent = @agent)`;

export class Tasks {
  constructor(private readonly sql: Sql) {}

  /** Returns the id. Ids are not used again. */
  add(task: NewTask): number {
    const id = this.sql.value<number>(
      `INSERT INTO tasks(text, agent, added_by, added_at, taken_by, taken_at, done_by, done_at, result)
         VALUES (@text, @agent, @added_by, @added_at, @taken_by, @taken_at, @done_by, @done_at, @result) RETURNING id`,
      { ...OPEN, ...task },
    );
    return id as number;
  }

  /** Whether there is one with this text, author and time. */
  has(task: Pick<TaskRow, 'text' | 'added_by' | 'added_at'>): boolean {
    return this.sql.has(
      'SELECT 1 FROM tasks WHERE added_at = @added_at AND added_by = @added_by AND text = @text',
      task,
    );
  }

  /** In the order in which they were added. */
  all(): TaskRow[] {
    return this.sql.all<TaskRow>(`SELECT ${ROW} FROM tasks ORDER BY id`);
  }

  byId(id: number): TaskRow | undefined {
    return this.sql.get<TaskRow>(`SELECT ${ROW} FROM tasks WHERE id = ?`, id);
  }

  /** Unfinished ones first, oldest first; then done ones, last done first. */
  list({ states, agent }: TaskQuery, page: Page) {
    return pageOf<TaskRow>(
      this.sql,
      { columns: ROW, from: `FROM tasks WHERE ${WANTED}`, order: 'done_at IS NOT NULL, done_at DESC, id' },
      { states: states === undefined ? null : JSON.stringify(states), agent: agent ?? null },
      page,
    );
  }

  /** The oldest open task that an agent may take. */
  nextFor(agent: string): TaskRow | undefined {
    return this.sql.get<TaskRow>(
      `SELECT ${ROW} FROM tasks
         WHERE taken_at IS NULL AND done_at IS NULL AND (agent IS NULL OR agent = ?) ORDER BY id LIMIT 1`,
      agent,
    );
  }

  take(id: number, agent: string, now: string): void {
    this.sql.run('UPDATE tasks SET taken_by = ?, taken_at = ? WHERE id = ?', agent, now, id);
  }

  finish(done: Pick<TaskRow, 'id' | 'done_by' | 'done_at' | 'result'>): void {
    this.sql.run(
      'UPDATE tasks SET done_by = @done_by, done_at = @done_at, result = @result WHERE id = @id',
      done,
    );
  }

  remove(id: number): void {
    this.sql.run('DELETE FROM tasks WHERE id = ?', id);
  }

  /** Numbers of tasks that are not done; undefined if there are none. */
  unfinished(): { open: number; taken: number } | undefined {
    const count = (state: TaskState) => this.sql.count(`FROM tasks WHERE ${STATE} = ?`, state);
    const numbers = { open: count('open'), taken: count('taken') };
    return numbers.open + numbers.taken === 0 ? undefined : numbers;
  }
}
