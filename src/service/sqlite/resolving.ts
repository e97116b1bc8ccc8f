import { resolveConflict as resolve } from '../../knowledge/conflicts/resolve.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import { shownFact } from './knowing.js';
import type { Owned } from './owned.js';
import { write, writerOf } from './writer.js';

export async function resolveConflict(
  owned: Owned,
  resolution: Input<'resolveConflict'>,
  call: ServiceCall,
): Promise<Output<'resolveConflict'>> {
  const { agent: addedBy, signal } = call;
  const sanitiser = await writerOf(owned).sanitiser();
  const done = await write(owned, call, (palace, run) => {
    const embedder = () => owned.models.wait(palace.model, signal);
    return resolve(palace, resolution, { sanitiser, embedder, addedBy, run, signal });
  });
  return { ...done, kept: shownFact(done.kept), ended: shownFact(done.ended) };
}
