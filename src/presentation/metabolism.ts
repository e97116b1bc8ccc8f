import type { Step } from '../core/metabolism.js';
import type { Output } from '../service/contract/index.js';

export type ProposalOf = Output<'metabolism'>['proposals'][number];

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
