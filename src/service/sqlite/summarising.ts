import {
  digestOfSession,
  spentTokens,
  unsummarised as unsummarisedIn,
  writeSummary,
} from '../../knowledge/summaries/index.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Resources } from '../palace/resources.js';
import { write, writerOf } from '../palace/writer.js';

export function unsummarised(
  palace: Palace,
  { limit, offset, ...place }: Input<'unsummarised'>,
): Output<'unsummarised'> {
  return palace.snapshot(() => {
    const { rows, total } = unsummarisedIn(palace, place, { limit, offset });
    const sessions = rows.map(({ sourceKey, title, wing, day, chars, grown }) => {
      return { sourceKey, title, wing, day, chars, grown: grown === 1 };
    });
    return { sessions, total, spent: spentTokens(palace, new Date()) };
  });
}

export function sessionDigest(
  palace: Palace,
  { sourceKey, tokens }: Input<'sessionDigest'>,
): Output<'sessionDigest'> {
  return palace.snapshot(() => digestOfSession(palace, sourceKey, tokens));
}

export async function fileSummary(
  resources: Resources,
  { sourceKey: session, content, ...note }: Input<'fileSummary'>,
  call: ServiceCall,
): Promise<Output<'fileSummary'>> {
  const { agent: addedBy, signal } = call;
  const sanitiser = await writerOf(resources).sanitiser();
  const { drawersRemoved, ...done } = await write(resources, call, (palace, run) => {
    const embedder = () => resources.models.wait(palace.model, signal);
    return writeSummary(palace, { session, content, ...note }, { sanitiser, embedder, addedBy, run, signal });
  });
  if (drawersRemoved > 0) await writerOf(resources).clearTraces(signal);
  return done;
}
