import {
  digestOfSession,
  spentTokens,
  unsummarised as unsummarisedIn,
  writeSummary,
} from '../../knowledge/summaries/index.js';
import type { Palace } from '../../store/index.js';
import type { Input, Output, ServiceCall } from '../contract/index.js';
import type { Owned } from './owned.js';
import { write, writerOf } from './writer.js';

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
  owned: Owned,
  { sourceKey: session, content, ...note }: Input<'fileSummary'>,
  call: ServiceCall,
): Promise<Output<'fileSummary'>> {
  const { agent: addedBy, signal } = call;
  const sanitiser = await writerOf(owned).sanitiser();
  const { drawersRemoved, ...done } = await write(owned, call, (palace, run) => {
    const embedder = () => owned.models.wait(palace.model, signal);
    return writeSummary(palace, { session, content, ...note }, { sanitiser, embedder, addedBy, run, signal });
  });
  if (drawersRemoved > 0) await writerOf(owned).clearTraces(signal);
  return done;
}
