import { UserError } from '../../core/errors.js';
import { buildSourceKey } from '../../core/source-key.js';
import { fileWritten, type Writer } from '../../miner/file-written.js';
import { writtenAlone } from '../../miner/written.js';
import type { Fact, Palace } from '../../store/index.js';
import { contradict, endFacts, findFacts, secondText } from '../facts/index.js';

export interface Resolution {
  /** Ids of two facts that contradict each other, or the beginnings of them. */
  facts: readonly [string, string];
  /** The one that stays. */
  keep: string;
  /** The reason, for the record. */
  because: string;
}

export interface Resolved {
  kept: Fact;
  ended: Fact;
  at: string;
  /** Key of the record's source. */
  source_key: string;
  drawers: string[];
  redacted: Record<string, number>;
}

/** The room of the records. */
const ROOM = 'conflicts';
/** Of facts without a source. */
const WING = 'wing_conflicts';

/**
 * Ends one of two facts that contradict each other, and files why: both in one short transaction without the run lock.
 *
 * @throws UserError `not-found` for an unknown fact; `usage` for facts that do not contradict each other, or without a
 *   reason; errors of the embedder and the palace
 */
export async function resolveConflict(
  palace: Palace,
  { facts, keep, because }: Resolution,
  { run, ...writing }: Writer,
): Promise<Resolved> {
  if (because.trim() === '')
    throw new UserError('usage', 'the reason is empty', { hint: '--because "why the other one is wrong"' });
  const now = new Date(run.startedMs);
  const at = secondText(now);
  const [kept, other] = chosen(
    facts.map((id) => factNamed(palace, id)),
    factNamed(palace, keep),
  );
  if (!contradict(kept, other, at))
    throw new UserError('usage', 'these facts do not contradict each other now', {
      hint: 'mempalace facts conflicts lists those that do; mempalace facts invalidate ends any fact',
    });
  const name = `${other.triple_id}/${kept.triple_id}`;
  const source_key = buildSourceKey({
    kind: 'conflict',
    owner: other.triple_id,
    name: `${kept.triple_id}.md`,
  });
  const written = {
    sourceKey: source_key,
    wing: wingOf(palace, [kept, other]),
    room: ROOM,
    text: recordOf(kept, other, { at, because: because.trim() }),
    origin: `conflict://${name}`,
    sourceFile: `conflict/${name}.md`,
    title: `Conflict: ${kept.subject} ${kept.predicate}`,
    writtenMs: now.getTime(),
  };
  const source = await writtenAlone(written, writing.sanitiser);
  let ended: Fact | undefined;
  await fileWritten({
    ...writing,
    palace,
    run,
    sources: () => [source],
    alongside: () => {
      const [stays, before] = [palace.facts.byId(kept.triple_id), palace.facts.byId(other.triple_id)];
      if (stays === undefined || before === undefined || !contradict(stays, before, at))
        throw new UserError('failed', 'another program has changed one of these facts since', {
          hint: 'mempalace facts conflicts lists those that still contradict each other',
        });
      [ended] = endFacts(palace, [before], at);
    },
  });
  if (ended === undefined) throw new Error(`${other.triple_id} was not ended`);
  const filed = palace.sources.byKey(source_key);
  const drawers = filed === undefined ? [] : palace.reading.drawersBetween(filed.id, 0, filed.drawers);
  return {
    kept,
    ended,
    at,
    source_key,
    drawers: drawers.map(({ drawerId }) => drawerId),
    redacted: source.redacted ?? {},
  };
}

/** @throws UserError `usage` */
function chosen(facts: readonly Fact[], keep: Fact): [kept: Fact, other: Fact] {
  const others = facts.filter(({ triple_id }) => triple_id !== keep.triple_id);
  const [other] = others;
  if (other !== undefined && others.length === 1) return [keep, other];
  throw new UserError(
    'usage',
    others.length === 0 ? 'two different facts are needed' : 'the fact to keep is one of the two',
    { hint: 'mempalace facts conflicts shows facts that contradict each other, with their ids' },
  );
}

/** @throws UserError `not-found`; `usage` for a beginning of several ids */
function factNamed(palace: Palace, id: string): Fact {
  const [fact] = /^fact_[0-9a-f]{8,24}$/.test(id.trim()) ? findFacts(palace, { id: id.trim() }) : [];
  if (fact !== undefined) return fact;
  throw new UserError('not-found', `there is no fact ${JSON.stringify(id)}`, {
    hint: 'an id looks like fact_0123456789ab; mempalace facts conflicts shows those that contradict each other',
  });
}

/** Where the facts come from, so that the record is found and forgotten with them. */
function wingOf(palace: Palace, facts: readonly Fact[]): string {
  for (const { source_key } of facts) {
    const wing = source_key === null ? undefined : palace.sources.byKey(source_key)?.wing;
    if (wing !== undefined) return wing;
  }
  return WING;
}

function recordOf(kept: Fact, ended: Fact, { at, because }: { at: string; because: string }): string {
  const words = ({ subject, predicate, object, valid_from, triple_id }: Fact) =>
    `${subject} → ${predicate} → ${object}${valid_from === null ? '' : ` (since ${valid_from})`}, ${triple_id}`;
  return `# Conflict: ${kept.subject} ${kept.predicate}

Kept: ${words(kept)}
Ended at ${at}: ${words(ended)}

Because: ${because}
`;
}
