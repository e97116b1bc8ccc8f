import { secondText } from '../../knowledge/facts/index.js';
import type { Palace } from '../../store/index.js';
import type { Output } from '../contract/index.js';
import { recentRuns } from '../palace/runs.js';

const PULSE_RUNS = 10;

export function pulse(palace: Palace): Output<'pulse'> {
  return palace.snapshot(() => {
    const rooms = palace.rooms();
    const { triples: facts, current: currentFacts } = palace.facts.counts(secondText(new Date()));
    return {
      sources: rooms.reduce((sum, { sources }) => sum + sources, 0),
      drawers: rooms.reduce((sum, { drawers }) => sum + drawers, 0),
      facts,
      currentFacts,
      runs: recentRuns(palace, PULSE_RUNS).map(({ versions: _, skipped: __, ...run }) => run),
    };
  });
}
