/** How feeders of other machines file into this palace: they stage at home, and send what is new. */
import * as z from 'zod/mini';
import { announcedSourceSchema, batchHeadSchema } from '../core/contract.js';
import { planBatch } from '../miner/plan.js';
import { receivedBatch, Upload } from '../miner/received.js';
import { filed, filing, upload } from '../service/contract/receiving.js';
import { writerOf } from '../service/palace/writer.js';
import { operation } from './operation.js';

const inWing = 'machines that file into the palace reach all of it';

export const receiving = {
  /** What they ask of the palace before they stage. */
  filedSources: operation({
    name: 'receive known',
    reads: true,
    inWing,
    input: () =>
      z.strictObject({
        /** Ids of projects whose documents are told. */
        pathsOf: z.array(z.string()),
        /** The last complete run with this scope is told. */
        run: z.object({ command: z.string(), scope: z.string() }),
      }),
    output: () =>
      z.strictObject({
        projects: z.array(
          z.object({
            id: z.string(),
            root: z.string(),
            rootCommit: z.nullable(z.string()),
            folder: z.string(),
            wing: z.string(),
          }),
        ),
        /** Relative paths by the id of the project, filed or forgotten. */
        paths: z.record(z.string(), z.array(z.string())),
        conversations: z.array(
          z.object({
            sourceKey: z.string(),
            sessionId: z.nullable(z.string()),
            wing: z.string(),
            mtimeMs: z.number(),
            hash: z.string(),
            versions: z.string(),
            directory: z.nullable(z.string()),
          }),
        ),
        /** Keys, and paths of documents. */
        forgotten: z.array(z.string()),
        /** Only keys. */
        forgottenKeys: z.array(z.string()),
        lastCompleteMs: z.optional(z.number()),
      }),
    run({ pathsOf, run }, { handle }) {
      const palace = handle.ifAny();
      if (palace === undefined)
        return { projects: [], paths: {}, conversations: [], forgotten: [], forgottenKeys: [] };
      const { projects, sources, forgetting, runs } = palace;
      return {
        projects: projects.all(),
        paths: Object.fromEntries(pathsOf.map((id) => [id, projects.pathsOf(id)])),
        conversations: [...sources.conversations().values()],
        forgotten: [...forgetting.names()],
        forgottenKeys: [...forgetting.keys()],
        lastCompleteMs: runs.lastComplete(run.command, run.scope),
      };
    },
  }),
  /** Sources that another machine has staged, as in its manifest. Nothing is filed yet. */
  announceSources: operation({
    name: 'receive announce',
    unsigned: true,
    inWing,
    input: () =>
      z.strictObject({
        /** Absent: a new one. */
        upload: z.optional(upload),
        /** That of the machine in the ids of its projects. */
        mark: z.string(),
        batch: z.int().check(z.minimum(0), z.maximum(9_999)),
        head: batchHeadSchema,
        /** A page of the batch. */
        sources: z.array(announcedSourceSchema),
        /** All of them are read again. */
        force: z.boolean(),
        /** Keys of sessions that are read although they are unchanged. */
        again: z.array(z.string()),
      }),
    /** `wanted`: keys of the sources whose text is wanted: the others are filed already, or forgotten. */
    output: () => z.strictObject({ upload, wanted: z.array(z.string()) }),
    async run({ upload: id, mark, batch, head, sources, force, again }, context) {
      const sanitiser = await writerOf(context).sanitiser();
      const { handle } = context;
      const upload = id === undefined ? Upload.begin(handle.folder) : Upload.of(handle.folder, id);
      upload.announce(batch, head, sources);
      const received = await receivedBatch(upload, head, sources, { mark, sanitiser });
      const isAgain = new Set(again);
      const plan = planBatch(received, handle.ifAny(), ({ sourceKey }) => force || isAgain.has(sourceKey));
      return { upload: upload.id, wanted: plan.toFile.map(({ source }) => source.sourceKey) };
    },
  }),
  /** A part of the text of an announced source. */
  receiveText: operation({
    name: 'receive text',
    unsigned: true,
    inWing,
    input: () =>
      z.strictObject({
        upload,
        sourceKey: z.string(),
        /** Bytes before it. */
        offset: z.int().check(z.minimum(0)),
        bytes: z.base64(),
      }),
    output: () => z.strictObject({}),
    run({ upload, sourceKey, offset, bytes }, { handle }) {
      Upload.of(handle.folder, upload).add(sourceKey, offset, Buffer.from(bytes, 'base64'));
      return {};
    },
  }),
  /** Files what was announced and received, under the run lock. Afterwards the upload is gone, also after an error. */
  fileReceived: operation({
    name: 'receive file',
    unsigned: true,
    inWing,
    input: () => filing,
    output: () => filed,
    async run(input, context) {
      const upload = Upload.of(context.handle.folder, input.upload);
      try {
        return await writerOf(context).fileReceived(upload.folder, input, context.call);
      } finally {
        upload.remove();
      }
    },
  }),
};
