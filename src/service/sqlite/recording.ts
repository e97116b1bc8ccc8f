import { writeDiary as writeEntry } from '../../knowledge/diary/index.js';
import { type Added, addFact as add, invalidateFact, supersedeFact } from '../../knowledge/facts/index.js';
import type { Palace, RunStart } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import { shownFact } from './knowing.js';
import type { Resources } from './resources.js';
import { write, writerOf } from './writer.js';

export async function addFact(
  resources: Resources,
  input: Input<'addFact'>,
  call: ServiceCall,
): Promise<Output<'addFact'>> {
  const writing = await writingOf(resources, input, call);
  return write(resources, call, async (palace, run) =>
    addedOf(await add(palace, input, { ...writing, record: recording(palace, run) })),
  );
}

export async function endFact(
  resources: Resources,
  { at, ...words }: Input<'endFact'>,
  call: ServiceCall,
): Promise<Output<'endFact'>> {
  const done = await write(resources, call, async (palace, run) =>
    invalidateFact(palace, words, { at, now: new Date(), record: recording(palace, run) }),
  );
  return { at: done.at, ended: done.ended.map(shownFact), open: done.open.map(shownFact) };
}

export async function replaceFact(
  resources: Resources,
  { former, at: validFrom, redact, ...words }: Input<'replaceFact'>,
  call: ServiceCall,
): Promise<Output<'replaceFact'>> {
  const writing = await writingOf(resources, { redact }, call);
  const done = await write(resources, call, (palace, run) =>
    supersedeFact(palace, { ...words, validFrom }, former, { ...writing, record: recording(palace, run) }),
  );
  return { ...addedOf(done), ended: done.ended.map(shownFact), at: done.at };
}

async function writingOf(
  resources: Resources,
  { redact }: { redact?: boolean | undefined },
  { agent }: ServiceCall,
) {
  return { sanitiser: await writerOf(resources).sanitiser(redact), addedBy: agent, now: new Date() };
}

/** Records a change in its own transaction. */
export function recording(palace: Palace, run: RunStart): () => void {
  return () => {
    palace.runs.add(run, { exitCode: 0, counts: {}, skipped: [] });
  };
}

function addedOf({ fact, added, conflicts, redacted }: Added): Output<'addFact'> {
  return { fact: shownFact(fact), added, conflicts: conflicts.map(shownFact), redacted };
}

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
