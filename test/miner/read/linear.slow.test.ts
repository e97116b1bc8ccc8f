import { expect, it } from 'vitest';
import { SegmentWriter } from '../../../src/miner/chunk/writer.js';
import type { RecordedTurn } from '../../../src/miner/read/records.js';
import { TranscriptText } from '../../../src/miner/read/transcript-text.js';

/** Number of results of one exchange for which a search among all calls per result takes minutes of processor time. */
const RESULTS = 200_000;
/** Milliseconds of processor time, so that other programs do not count; it takes about two seconds. */
const MOST_MS = 20_000;

const turn: RecordedTurn = {
  kind: 'turn',
  role: 'assistant',
  parts: [],
  id: 'm',
  at: '2026-01-02T10:00:00Z',
  compaction: undefined,
  date: '2026-01-02',
  spoken: true,
};

it.each<[string, number, (i: number) => string]>([
  ['of no call, behind a call without a result', 1, (i) => `none${i}`],
  ['in the order of their calls', RESULTS, (i) => `c${i}`],
  ['the other way round', RESULTS, (i) => `c${RESULTS - 1 - i}`],
  ['of calls with one id', RESULTS, () => 'c0'],
])('results %s take time in proportion to their number', { timeout: 300_000 }, (name, calls, idOf) => {
  const before = process.cpuUsage();
  const transcript = new TranscriptText(new SegmentWriter());
  transcript.startExchange('go on');
  for (let i = 0; i < calls; i += 1)
    transcript.call('[tool]', name.includes('one id') ? 'c0' : `c${i}`, turn);
  for (let i = 0; i < RESULTS; i += 1)
    transcript.result({ kind: 'result', id: idOf(i), text: 'r', error: false }, turn);
  transcript.finish();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(MOST_MS);
});
