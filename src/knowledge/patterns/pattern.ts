import type { PatternKind } from '../../core/pattern-kinds.js';

/** One session in which an error occurred, or one entry or fact. */
interface Occurrence {
  /** Of a fact: null. */
  drawer_id: string | null;
  day: string;
  /** Of a session, an entry or a fact. */
  source: string;
  command: string | null;
  file: string | null;
  /** The first later success of the same command or file; the files that were changed before it. */
  fix: { drawer_id: string; edits: string[] } | null;
}

/** Something that recurs. */
export interface Pattern {
  kind: PatternKind;
  /** Of an error: the tool's name, `shell` for all that run commands. */
  tool: string | null;
  /** The masked message, or what was written. */
  text: string;
  /** Number of sessions, entries or facts; of a fix: of sessions that fixed it. */
  count: number;
  /** Of each session, entry or fact one; newest first. Not all, where there are more than were asked for. */
  occurrences: Occurrence[];
}

export interface PatternQuery {
  /** Only errors that concern this file, or were fixed by changing it: an absolute path, or the end of one. */
  file?: string | undefined;
  /** Only errors of sessions in this folder and below. */
  directory?: string | undefined;
  /** Occurrences per pattern, at most. */
  occurrences: number;
}
