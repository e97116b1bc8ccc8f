import { lineIn } from '../../checkpoint/text.js';
import { parseSourceKey } from '../../core/source-key.js';
import { readDiary as entriesOf } from '../../knowledge/diary/read.js';
import {
  graphStats,
  openConflicts,
  queryFacts,
  factTimeline as timelineOf,
} from '../../knowledge/facts/look.js';
import { patternsIn } from '../../knowledge/patterns/index.js';
import type { Fact, Palace } from '../../store/index.js';
import type { Input, Output } from '../contract/index.js';

export function facts(palace: Palace, question: Input<'facts'>): Output<'facts'> {
  const { facts: found, ...answer } = queryFacts(palace, question);
  return { ...answer, facts: found.map((fact) => ({ ...shownFact(fact), direction: fact.direction })) };
}

export function factTimeline(
  palace: Palace,
  { entity, asOf, ...page }: Input<'factTimeline'>,
): Output<'factTimeline'> {
  const found = timelineOf(palace, { entity, asOf }, page);
  return { ...found, facts: found.facts.map(shownFact) };
}

export function factStats(palace: Palace): Output<'factStats'> {
  return graphStats(palace, new Date());
}

export function patterns(palace: Palace, input: Input<'patterns'>): Output<'patterns'> {
  return { ...patternsIn(palace, input), unread: palace.activity.countUnderived() };
}

export function conflicts(palace: Palace): Output<'conflicts'> {
  const found = openConflicts(palace, new Date());
  return { conflicts: found.map(({ facts: those, ...of }) => ({ ...of, facts: those.map(shownFact) })) };
}

export function checkpoints(
  palace: Palace,
  { name, directories, within: wing, ...page }: Input<'checkpoints'>,
): Output<'checkpoints'> {
  return palace.snapshot(() => {
    const { rows, total } = palace.checkpoints.entries({ name, directories, wing }, page);
    const shown = rows.map(({ id, sourceKey: checkpointId, title, wing, directory, atMs }) => {
      const { owner: session } = parseSourceKey(checkpointId);
      const timestamp = new Date(atMs).toISOString();
      const content = palace.sources.textOf(id);
      const line = lineIn(content) ?? null;
      return { checkpointId, session, title, wing, directory, timestamp, line, content };
    });
    return { checkpoints: shown, total };
  });
}

export function readDiary(palace: Palace, asked: Input<'readDiary'>): Output<'readDiary'> {
  return entriesOf(palace, asked);
}

export function shownFact(fact: Fact): Output<'addFact'>['fact'] {
  const { tripleId, subject, predicate, object, validFrom, validTo, confidence } = fact;
  const { sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt } = fact;
  return {
    ...{ tripleId, subject, predicate, object, validFrom, validTo, confidence },
    ...{ sourceKey, sourceDrawerId, sourceFile, sourceCloset, addedBy, recordedAt },
  };
}
