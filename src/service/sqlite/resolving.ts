import { resolveConflict as resolve } from '../../knowledge/conflicts/resolve.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import { shownFact } from './knowing.js';
import type { Resources } from './resources.js';
import { write, writerOf } from './writer.js';

export async function resolveConflict(
  resources: Resources,
  resolution: Input<'resolveConflict'>,
  call: ServiceCall,
): Promise<Output<'resolveConflict'>> {
  const { agent: addedBy, signal } = call;
  const sanitiser = await writerOf(resources).sanitiser();
  const done = await write(resources, call, (palace, run) => {
    const embedder = () => resources.models.wait(palace.model, signal);
    return resolve(palace, resolution, { sanitiser, embedder, addedBy, run, signal });
  });
  return { ...done, kept: shownFact(done.kept), ended: shownFact(done.ended) };
}
