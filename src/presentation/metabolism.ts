import { dayOf } from '../core/day.js';
import type { Step } from '../core/metabolism.js';
import type { Input, Output } from '../service/contract/index.js';
import type { Document } from './documents/index.js';

export type ProposalOf = Output<'metabolism'>['proposals'][number];

export const LEAST_USES = 5;
export const OLD_DAYS = 180;
/** Uses that were counted for a shorter time do not show what is never used. */
export const LEAST_COUNTED_DAYS = 30;
const DAY_MS = 86_400_000;

/** @param now epoch milliseconds */
export function metabolismAsked(
  {
    leastUses = LEAST_USES,
    oldDays = OLD_DAYS,
  }: { leastUses?: number | undefined; oldDays?: number | undefined },
  cold: readonly string[],
  now: number,
): Input<'metabolism'> {
  const dayBefore = (days: number) => dayOf(now - days * DAY_MS);
  return {
    leastUses,
    oldBefore: dayBefore(oldDays),
    countedBefore: dayBefore(LEAST_COUNTED_DAYS),
    cold: [...cold],
  };
}

/** The proposals, without the texts of their passages. */
export function metabolismDocument({ since, used, proposals }: Output<'metabolism'>): Document<'metabolism'> {
  return { command: 'mempalace metabolism', since, used, proposals: proposals.map(proposalJson) };
}

/** Words for what a proposal would do. */
export const DOES: Record<Step, string> = {
  reflect: 'write about it in the reflection wing',
  constitution: 'tell it first',
  archive: 'move it into the archive',
  cold: 'leave the room out of searches',
};

/** A proposal, as `--json` shows it: without the text of the passage. */
export function proposalJson(proposal: ProposalOf) {
  const { id, step, output, wing, room, title, sourceKey, drawerId, found, opened, days, day } = proposal;
  return {
    ...{ id, step, output, wing, room, title },
    source_key: sourceKey,
    drawer_id: drawerId,
    ...{ found, opened, days, date: day },
  };
}
