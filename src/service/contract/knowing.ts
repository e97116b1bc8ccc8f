import { z } from 'zod';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { page, within } from './words.js';

const name = z.string().nullable();
const count = z.int().min(0);

/** Where sessions stood, newest first. */
export const checkpoints = {
  input: z.object({
    /** The key of a checkpoint or a session, or a session's id. */
    name: z.string().optional(),
    /** The folders of the sessions, absolute. */
    directories: z.array(z.string()).optional(),
    within,
    ...page,
  }),
  output: z.object({
    checkpoints: z.array(
      z.object({
        /** The key of its source. */
        checkpointId: z.string(),
        /** The key of the session. */
        session: z.string(),
        title: z.string(),
        wing: z.string(),
        directory: name,
        /** Of the last message before it, ISO 8601, UTC. */
        timestamp: z.string(),
        /** Line of the session's text before which it was made; null for those of earlier versions. */
        line: z.int().nullable(),
        content: z.string(),
      }),
    ),
    total: count,
  }),
};

const occurrence = z.object({
  /** Of a fact without a drawer: null. */
  drawerId: name,
  day: z.string(),
  /** Of a session, a diary entry or a fact. */
  source: z.string(),
  command: name,
  file: name,
  /** The first later success of the same command or file, and the files that were changed before it. */
  fix: z.object({ drawerId: z.string(), edits: z.array(z.string()) }).nullable(),
});

const kind = z.enum(PATTERN_KINDS);

/** What recurs: errors in several sessions, and what was written with a type more than once. */
export const patterns = {
  input: z.object({
    kind: kind.optional(),
    /** Only errors that concern this file, or were fixed by changing it. */
    file: z.string().optional(),
    /** Only errors of sessions in this folder and below. */
    directory: z.string().optional(),
    ...page,
    /** Occurrences per pattern, at most. */
    occurrences: z.int().min(1),
  }),
  output: z.object({
    patterns: z.array(
      z.object({
        kind,
        tool: name,
        /** The masked message, or what was written. */
        text: z.string(),
        count,
        occurrences: z.array(occurrence),
      }),
    ),
    total: count,
    unread: count,
  }),
};
