import { Projects } from '../tables/projects.js';
import { openForReading, refuseOlder } from './open-reading.js';
import { Sql } from './sql.js';
import { countRooms, type RoomCount } from './status.js';
import { WakeUpRows } from './wake-up.js';

/** Of an open palace what is told at the start: `Palace` has it, too. */
export type WakeUpSource = Pick<WakeUpReader, 'wakeUp' | 'snapshot' | 'rooms'>;

/**
 * Of a palace what wakes an agent up, as `Palace` gives it: for a harness that waits, since all of the palace takes
 * longer to load than to ask.
 */
export class WakeUpReader {
  readonly projects: Pick<Projects, 'all'>;
  readonly wakeUp: WakeUpRows;

  private constructor(private readonly sql: Sql) {
    this.projects = new Projects(sql);
    this.wakeUp = new WakeUpRows(sql);
  }

  /**
   * Opens read-only; a palace of an earlier version is refused.
   *
   * @param waitMs how long a program that holds the palace is waited for, in milliseconds
   * @throws UserError as `openForReading` does
   */
  static read(folder: string, waitMs: number): WakeUpReader {
    return new WakeUpReader(new Sql(openForReading(folder, { waitMs, onOlder: refuseOlder })));
  }

  snapshot<T>(work: () => T): T {
    return this.sql.read(work);
  }

  rooms(): RoomCount[] {
    return countRooms(this.sql);
  }

  close(): void {
    this.sql.close();
  }
}
