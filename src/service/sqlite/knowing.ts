import { readDiary as entriesOf, writeDiary as writeEntry } from '../../knowledge/diary/index.js';
import {
  type Added,
  addFact as add,
  graphStats,
  invalidateFact,
  queryFacts,
  supersedeFact,
  factTimeline as timelineOf,
} from '../../knowledge/facts/index.js';
import type { Fact, Palace, RunStart } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Owned } from './owned.js';
import { write, writerOf } from './writer.js';

export function facts(palace: Palace, question: Input<'facts'>): Output<'facts'> {
  const { facts: found, ...answer } = queryFacts(palace, question);
  return { ...answer, facts: found.map((fact) => ({ ...shown(fact), direction: fact.direction })) };
}

export function factTimeline(
  palace: Palace,
  { entity, ...page }: Input<'factTimeline'>,
): Output<'factTimeline'> {
  const found = timelineOf(palace, entity, page);
  return { ...found, facts: found.facts.map(shown) };
}

export function factStats(palace: Palace): Output<'factStats'> {
  return graphStats(palace, new Date());
}

export async function addFact(
  owned: Owned,
  input: Input<'addFact'>,
  call: ServiceCall,
): Promise<Output<'addFact'>> {
  const writing = await writingOf(owned, call);
  return write(owned, call, async (palace, run) =>
    addedOf(await add(palace, input, { ...writing, record: recording(palace, run) })),
  );
}

export async function endFact(
  owned: Owned,
  { at, ...words }: Input<'endFact'>,
  call: ServiceCall,
): Promise<Output<'endFact'>> {
  const done = await write(owned, call, async (palace, run) =>
    invalidateFact(palace, words, { at, now: new Date(), record: recording(palace, run) }),
  );
  return { at: done.at, ended: done.ended.map(shown), open: done.open.map(shown) };
}

export async function replaceFact(
  owned: Owned,
  { former, at: validFrom, ...words }: Input<'replaceFact'>,
  call: ServiceCall,
): Promise<Output<'replaceFact'>> {
  const writing = await writingOf(owned, call);
  const done = await write(owned, call, (palace, run) =>
    supersedeFact(palace, { ...words, validFrom }, former, { ...writing, record: recording(palace, run) }),
  );
  return { ...addedOf(done), ended: done.ended.map(shown), at: done.at };
}

async function writingOf(owned: Owned, { agent }: ServiceCall) {
  return { sanitiser: await writerOf(owned).sanitiser(), addedBy: agent, now: new Date() };
}

/** Records a change in its own transaction. */
function recording(palace: Palace, run: RunStart): () => void {
  return () => {
    palace.runs.add(run, { exitCode: 0, counts: {}, skipped: [] });
  };
}

function addedOf({ fact, added, conflicts, redacted }: Added): Output<'addFact'> {
  return { fact: shown(fact), added, conflicts: conflicts.map(shown), redacted };
}

function shown(fact: Fact): Output<'addFact'>['fact'] {
  const { tripleId, subject, predicate, object, validFrom, validTo, confidence } = fact;
  const { sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt } = fact;
  return {
    ...{ tripleId, subject, predicate, object, validFrom, validTo, confidence },
    ...{ sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt },
  };
}

export function readDiary(palace: Palace, asked: Input<'readDiary'>): Output<'readDiary'> {
  return entriesOf(palace, asked);
}

export async function writeDiary(
  owned: Owned,
  note: Input<'writeDiary'>,
  call: ServiceCall,
): Promise<Output<'writeDiary'>> {
  const { signal } = call;
  const sanitiser = await writerOf(owned).sanitiser();
  const written = await write(owned, call, (palace, run) => {
    const embedder = () => owned.models.wait(palace.model, signal);
    return writeEntry(palace, note, { sanitiser, embedder, run, signal });
  });
  const { content: _, ...entry } = written.entry;
  return { ...written, entry };
}
