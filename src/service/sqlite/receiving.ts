import { planBatch } from '../../miner/plan.js';
import { receivedBatch, Upload } from '../../miner/received.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { writerOf } from '../palace/writer.js';

/** @param palace undefined if there is none yet */
export function filedSources(
  palace: Palace | undefined,
  { pathsOf, run }: Input<'filedSources'>,
): Output<'filedSources'> {
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
}

export async function announceSources(
  resources: Resources,
  { upload: id, mark, batch, head, sources, force, again }: Input<'announceSources'>,
): Promise<Output<'announceSources'>> {
  const sanitiser = await writerOf(resources).sanitiser();
  const { handle } = resources;
  const upload = id === undefined ? Upload.begin(handle.folder) : Upload.of(handle.folder, id);
  upload.announce(batch, head, sources);
  const received = await receivedBatch(upload, head, sources, { mark, sanitiser });
  const isAgain = new Set(again);
  const plan = planBatch(received, handle.ifAny(), ({ sourceKey }) => force || isAgain.has(sourceKey));
  return { upload: upload.id, wanted: plan.toFile.map(({ source }) => source.sourceKey) };
}

export function receiveText(
  { handle }: Resources,
  { upload, sourceKey, offset, bytes }: Input<'receiveText'>,
): Output<'receiveText'> {
  Upload.of(handle.folder, upload).add(sourceKey, offset, Buffer.from(bytes, 'base64'));
  return {};
}

export async function fileReceived(
  resources: Resources,
  input: Input<'fileReceived'>,
  call: ServiceCall,
): Promise<Output<'fileReceived'>> {
  const upload = Upload.of(resources.handle.folder, input.upload);
  try {
    return await writerOf(resources).fileReceived(upload.folder, input, call);
  } finally {
    upload.remove();
  }
}
