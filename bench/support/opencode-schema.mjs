/**
 * The history tables of opencode 1.18.33, with their indexes, as the release itself creates
 * them; the tables for accounts, events and workspaces are left out.
 */
export const SCHEMA = `
CREATE TABLE project (
  id text PRIMARY KEY, worktree text NOT NULL, vcs text, name text, icon_url text, icon_url_override text,
  icon_color text, time_created integer NOT NULL, time_updated integer NOT NULL, time_initialized integer,
  sandboxes text NOT NULL, commands text
);
CREATE TABLE session (
  id text PRIMARY KEY, project_id text NOT NULL, workspace_id text, parent_id text, slug text NOT NULL,
  directory text NOT NULL, path text, title text NOT NULL, version text NOT NULL, share_url text,
  summary_additions integer, summary_deletions integer, summary_files integer, summary_diffs text,
  metadata text, cost real DEFAULT 0 NOT NULL, tokens_input integer DEFAULT 0 NOT NULL,
  tokens_output integer DEFAULT 0 NOT NULL, tokens_reasoning integer DEFAULT 0 NOT NULL,
  tokens_cache_read integer DEFAULT 0 NOT NULL, tokens_cache_write integer DEFAULT 0 NOT NULL,
  revert text, permission text, agent text, model text, time_created integer NOT NULL,
  time_updated integer NOT NULL, time_compacting integer, time_archived integer,
  CONSTRAINT fk_session_project_id_project_id_fk FOREIGN KEY (project_id) REFERENCES project(id) ON DELETE CASCADE
);
CREATE TABLE message (
  id text PRIMARY KEY, session_id text NOT NULL, time_created integer NOT NULL, time_updated integer NOT NULL,
  data text NOT NULL,
  CONSTRAINT fk_message_session_id_session_id_fk FOREIGN KEY (session_id) REFERENCES session(id) ON DELETE CASCADE
);
CREATE TABLE part (
  id text PRIMARY KEY, message_id text NOT NULL, session_id text NOT NULL, time_created integer NOT NULL,
  time_updated integer NOT NULL, data text NOT NULL,
  CONSTRAINT fk_part_message_id_message_id_fk FOREIGN KEY (message_id) REFERENCES message(id) ON DELETE CASCADE
);
CREATE TABLE migration (id TEXT PRIMARY KEY, time_completed INTEGER NOT NULL);
CREATE INDEX message_session_time_created_id_idx ON message (session_id, time_created, id);
CREATE INDEX part_message_id_id_idx ON part (message_id, id);
CREATE INDEX part_session_idx ON part (session_id);
CREATE INDEX session_project_idx ON session (project_id);
CREATE INDEX session_workspace_idx ON session (workspace_id);
CREATE INDEX session_parent_idx ON session (parent_id);
`;

/** The release whose rows these are. */
export const VERSION = '1.18.33';

/** Its last migration. */
export const LAST_MIGRATION = '20260622202450_simplify_session_input';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Ids as opencode makes them: 48 bits of milliseconds × 4096 plus a counter in hexadecimal, then 14 random
 * characters. Session ids contain the complement, so that the newest sorts first.
 */
export function createIds(random) {
  let counter = 0;
  const make = (prefix, timeMs, descending) => {
    counter = (counter + 1) % 4096;
    const ascending = BigInt.asUintN(48, BigInt(timeMs) * 4096n + BigInt(counter));
    const stamp = descending ? BigInt.asUintN(48, ~ascending) : ascending;
    let tail = '';
    for (let index = 0; index < 14; index += 1) tail += BASE62.charAt(Math.floor(random.next() * 62));
    return `${prefix}_${stamp.toString(16).padStart(12, '0')}${tail}`;
  };
  return {
    session: (timeMs) => make('ses', timeMs, true),
    message: (timeMs) => make('msg', timeMs, false),
    part: (timeMs) => make('prt', timeMs, false),
  };
}
