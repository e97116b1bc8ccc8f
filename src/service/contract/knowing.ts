import { z } from 'zod';
import { PATTERN_KINDS } from '../../core/pattern-kinds.js';
import { page, within } from './words.js';

const name = z.string().nullable();
const count = z.int().min(0);

/** Times are days, or seconds in UTC; null: open. */
const fact = z.object({
  tripleId: z.string(),
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  validFrom: name,
  validTo: name,
  confidence: z.number(),
  sourceKey: name,
  sourceDrawerId: name,
  sourceFile: name,
  sourceCloset: name,
  addedBy: z.string(),
  recordedAt: z.string(),
});

const words = { subject: z.string(), predicate: z.string(), object: z.string() };
const origin = {
  sourceDrawerId: z.string().optional(),
  sourceFile: z.string().optional(),
  sourceCloset: z.string().optional(),
};
/** False: secrets are stored as they are. */
const redact = z.boolean().optional();
const redacted = z.record(z.string(), count);
const added = z.object({
  fact,
  /** False when the same fact was stored already. */
  added: z.boolean(),
  /** Facts with another object at the same time. */
  conflicts: z.array(fact),
  /** Redactions by kind. */
  redacted,
});

/** Only those that are true at this moment. */
const asOf = z.string().optional();

/** The newest facts of an entity, newest last. */
export const facts = {
  input: z.object({
    entity: z.string(),
    asOf,
    direction: z.enum(['outgoing', 'incoming', 'both']),
    predicate: z.string().optional(),
    limit: page.limit,
  }),
  output: z.object({
    entity: z.string(),
    /** Whether there is a fact about it. */
    known: z.boolean(),
    asOf: name,
    facts: z.array(fact.extend({ direction: z.enum(['outgoing', 'incoming']) })),
    total: count,
  }),
};

/** In the order in which they began, newest last; of an entity, or all. */
export const factTimeline = {
  input: z.object({ entity: z.string().optional(), asOf, ...page }),
  output: z.object({ entity: name, asOf: name, facts: z.array(fact), total: count }),
};

export const factStats = {
  input: z.object({}),
  output: z.object({
    entities: count,
    triples: count,
    current: count,
    notCurrent: count,
    predicates: z.array(z.object({ predicate: z.string(), facts: count })),
    /** Several values where one at a time is usual. */
    conflicts: z.array(
      z.object({ subject: z.string(), predicate: z.string(), objects: z.array(z.string()) }),
    ),
  }),
};

/** Facts that contradict each other now, by subject and predicate. */
export const conflicts = {
  input: z.object({}),
  output: z.object({
    conflicts: z.array(z.object({ subject: z.string(), predicate: z.string(), facts: z.array(fact) })),
  }),
};

/** Ends one of two facts that contradict each other, and files why. */
export const resolveConflict = {
  input: z.object({
    /** Ids, or the beginnings of them. */
    facts: z.tuple([z.string(), z.string()]),
    /** The one that stays. */
    keep: z.string(),
    because: z.string(),
  }),
  output: z.object({
    kept: fact,
    ended: fact,
    at: z.string(),
    /** Of the record. */
    sourceKey: z.string(),
    drawerIds: z.array(z.string()),
    redacted,
  }),
};

export const addFact = {
  input: z.object({
    ...words,
    ...origin,
    validFrom: z.string().optional(),
    validTo: z.string().optional(),
    /** 0 to 1; default: 1. */
    confidence: z.number().optional(),
    redact,
  }),
  output: added,
};

/** Ends an open fact, which stays as history. `open`: others of its subject and predicate. */
export const endFact = {
  input: z.object({ ...words, at: z.string().optional() }),
  output: z.object({ ended: z.array(fact), at: z.string(), open: z.array(fact) }),
};

/** Ends facts and begins their successor at one moment. */
export const replaceFact = {
  input: z.object({
    ...words,
    ...origin,
    /** The object that ends; absent: every other of this subject and predicate. */
    former: z.string().optional(),
    at: z.string().optional(),
    /** 0 to 1; default: 1. */
    confidence: z.number().optional(),
    redact,
  }),
  output: added.extend({ ended: z.array(fact), at: z.string() }),
};

const entry = z.object({
  entryId: z.string(),
  agent: z.string(),
  wing: z.string(),
  topic: z.string(),
  /** ISO 8601, UTC. */
  timestamp: z.string(),
});

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

/** Newest first. */
export const readDiary = {
  input: z.object({
    agent: z.string().optional(),
    wing: z.string().optional(),
    topic: z.string().optional(),
    ...page,
  }),
  output: z.object({ entries: z.array(entry.extend({ content: z.string() })), total: count }),
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

export const writeDiary = {
  input: z.object({
    agent: z.string(),
    entry: z.string(),
    topic: z.string().optional(),
    wing: z.string().optional(),
    redact,
  }),
  output: z.object({
    entry,
    drawerIds: z.array(z.string()),
    /** The same entry was written before: nothing was written now. */
    already: z.boolean(),
    redacted,
  }),
};
