import { z } from 'zod';
import { announcedSourceSchema, batchHeadSchema, manifestSchema } from '../../core/contract.js';

const conversation = z.object({
  sourceKey: z.string(),
  sessionId: z.string().nullable(),
  wing: z.string(),
  mtimeMs: z.number(),
  hash: z.string(),
  versions: z.string(),
  directory: z.string().nullable().default(null),
});

/** What the feeders of another machine ask of the palace before they stage. */
export const filedSources = {
  input: z.object({
    /** Ids of projects whose documents are told. */
    pathsOf: z.array(z.string()),
    /** The last complete run with this scope is told. */
    run: z.object({ command: z.string(), scope: z.string() }),
  }),
  output: z.object({
    projects: z.array(
      z.object({
        id: z.string(),
        root: z.string(),
        rootCommit: z.string().nullable(),
        folder: z.string(),
        wing: z.string(),
      }),
    ),
    /** Relative paths by the id of the project, filed or forgotten. */
    paths: z.record(z.string(), z.array(z.string())),
    conversations: z.array(conversation),
    /** Keys, and paths of documents. */
    forgotten: z.array(z.string()),
    /** Only keys. */
    forgottenKeys: z.array(z.string()),
    lastCompleteMs: z.number().optional(),
  }),
};

const upload = z.string().regex(/^[0-9a-f-]{36}$/);
const batch = z.int().min(0).max(9_999);

/**
 * Announces sources that another machine has staged, as in its manifest. Nothing is filed yet.
 */
export const announceSources = {
  input: z.object({
    /** Absent: a new one. */
    upload: upload.optional(),
    /** That of the machine in the ids of its projects. */
    mark: z.string(),
    batch,
    head: batchHeadSchema,
    /** A page of the batch. */
    sources: z.array(announcedSourceSchema),
    /** All of them are read again. */
    force: z.boolean(),
    /** Keys of sessions that are read although they are unchanged. */
    again: z.array(z.string()),
  }),
  output: z.object({
    upload,
    /** Keys of the sources whose text is wanted: the others are filed already, or forgotten. */
    wanted: z.array(z.string()),
  }),
};

/** A part of the text of an announced source. */
export const receiveText = {
  input: z.object({
    upload,
    sourceKey: z.string(),
    /** Bytes before it. */
    offset: z.int().min(0),
    bytes: z.base64(),
  }),
  output: z.object({}),
};

const skipped = manifestSchema.shape.skipped;

const checkpoint = z.union([
  z.object({ kind: z.literal('end') }),
  z.object({ kind: z.literal('manual'), name: z.string(), note: z.string().optional() }),
]);

/** Files what was announced and received, under the run lock. Afterwards the upload is gone, also after an error. */
export const fileReceived = {
  input: z.object({
    upload,
    mark: z.string(),
    run: z.object({ command: z.string(), scope: z.string(), narrowed: z.boolean() }),
    /** Stored with each drawer. */
    addedBy: z.string(),
    force: z.boolean(),
    allowRemovals: z.boolean(),
    limit: z.int().optional(),
    /** Time for filing, milliseconds. */
    maxMs: z.number().optional(),
    checkpoints: z.array(z.tuple([z.string(), checkpoint])),
    /** Keys of sources whose text is wanted and was not sent in time. */
    unsent: z.array(z.string()),
    /** Problems of the feeder: they are recorded with the run. */
    problems: skipped,
  }),
  /** As the miner reports it. */
  output: z.object({
    new: z.int(),
    changed: z.int(),
    unchanged: z.int(),
    moved: z.int(),
    removed: z.int(),
    removals: z.array(z.string()),
    lost: z.array(z.object({ origin: z.string(), messages: z.int() })),
    drawersAdded: z.int(),
    drawersRemoved: z.int(),
    drawersTotal: z.int(),
    embedded: z.int(),
    pending: z.int(),
    redacted: z.record(z.string(), z.int()),
    problems: skipped,
    left: z.int(),
  }),
};
