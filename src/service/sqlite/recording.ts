import { writeDiary as writeEntry } from '../../knowledge/diary/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { write, writerOf } from '../palace/writer.js';

export async function writeDiary(
  resources: Resources,
  { redact, ...note }: Input<'writeDiary'>,
  call: ServiceCall,
): Promise<Output<'writeDiary'>> {
  const { signal } = call;
  const sanitiser = await writerOf(resources).sanitiser(redact);
  const written = await write(resources, call, (palace, run) => {
    const embedder = () => resources.models.wait(palace.model, signal);
    return writeEntry(palace, note, { sanitiser, embedder, run, signal });
  });
  const { content: _, ...entry } = written.entry;
  return { ...written, entry };
}
