/** How feeders of other machines file into this palace: they stage at home, and send what is new. */
import * as z from 'zod/mini';
import { announcedSourceSchema, batchHeadSchema } from '../core/contract.js';
import { planBatch } from '../miner/plan.js';
import { receivedBatch, Upload } from '../miner/received.js';
import { filing, upload } from '../service/contract/receiving.js';
import { writerOf } from '../service/palace/writer.js';
import { procedure } from './operation.js';

const inWing = 'machines that file into the palace reach all of it';

export const receiving = {
  /** What they ask of the palace before they stage. */
  filedSources: procedure({
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
    run({ pathsOf, run }, { handle }) {
      const palace = handle.ifAny();
      return {
        projects: palace?.projects.all() ?? [],
        /** Relative paths by the id of the project, filed or forgotten. */
        paths: Object.fromEntries(pathsOf.map((id) => [id, palace?.projects.pathsOf(id) ?? []])),
        conversations: [...(palace?.sources.conversations().values() ?? [])],
        /** Keys, and paths of documents. */
        forgotten: [...(palace?.forgetting.names() ?? [])],
        forgottenKeys: [...(palace?.forgetting.keys() ?? [])],
        lastCompleteMs: palace?.runs.lastComplete(run.command, run.scope),
      };
    },
  }),
  /** Sources that another machine has staged, as in its manifest. Nothing is filed yet. */
  announceSources: procedure({
    name: 'receive announce',
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
  receiveText: procedure({
    name: 'receive text',
    inWing,
    input: () =>
      z.strictObject({
        upload,
        sourceKey: z.string(),
        /** Bytes before it. */
        offset: z.int().check(z.minimum(0)),
        bytes: z.base64(),
      }),
    run({ upload, sourceKey, offset, bytes }, { handle }) {
      Upload.of(handle.folder, upload).add(sourceKey, offset, Buffer.from(bytes, 'base64'));
      return {};
    },
  }),
  /** Files what was announced and received, under the run lock. Afterwards the upload is gone, also after an error. */
  fileReceived: procedure({
    name: 'receive file',
    inWing,
    input: () => filing,
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
