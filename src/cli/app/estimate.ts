import type { Segment } from '../../miner/segment.js';
import type { Palace } from '../../store/index.js';
import { line } from '../terminal/terminal.js';
import { formatBytes, formatSeconds, plural } from './durations.js';

/** Drawers embedded per second on two cores with the embedded model (bench/). */
const DRAWERS_PER_SECOND = 150;
/** Bytes that are read and chunked as a run would; the rest is extrapolated. 4 MB take about half a second. */
const BUDGET_BYTES = 6_000_000;
/** Largest sources that are named. */
const NAMED = 3;

export interface Estimate {
  /** Drawers that a run would add. */
  drawers: number;
  seconds: number;
  largest: { name: string; bytes: number }[];
}

/** A source that a run would file. */
export interface Expected {
  /** For people. */
  name: string;
  /** On the disk, or in the database. */
  bytes: number;
  /** Source key of a changed source; undefined for a new one. */
  filed: string | undefined;
  /** Its segments, cut as a run cuts them. Empty when it cannot be read. */
  segments: () => AsyncIterable<Segment>;
}

interface Counted {
  /** Of the source, as far as it was read. */
  bytes: number;
  drawers: number;
  embedded: number;
}

/**
 * What filing some sources comes to. Sources of up to 6 MB are read and cut; of more, some of every size, and the
 * others are taken to be alike. A changed source counts with the drawers that it does not have yet.
 */
export async function estimate(
  sources: readonly Expected[],
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<Estimate> {
  const parts = [false, true].map((filed) =>
    sources.filter((source) => (source.filed !== undefined) === filed),
  );
  let drawers = 0;
  let embedded = 0;
  for (const part of parts) {
    const all = part.reduce((sum, { bytes }) => sum + bytes, 0);
    const sample = await countSample(part, all, palace, signal);
    const rest = sample.bytes === 0 ? 0 : Math.max(0, all - sample.bytes) / sample.bytes;
    drawers += sample.drawers * (1 + rest);
    embedded += sample.embedded * (1 + rest);
  }
  const bySize = [...sources].sort((a, b) => b.bytes - a.bytes);
  return {
    drawers: Math.round(drawers),
    seconds: Math.round((embedded / DRAWERS_PER_SECOND) * 10) / 10,
    largest: bySize.slice(0, NAMED).map(({ name, bytes }) => ({ name, bytes })),
  };
}

async function countSample(
  sources: readonly Expected[],
  all: number,
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<Counted> {
  // Every n-th of them by size: what is large and what is small is there in its share.
  const step = Math.max(1, Math.ceil(all / BUDGET_BYTES));
  const bySize = [...sources].sort((a, b) => b.bytes - a.bytes);
  const counted: Counted = { bytes: 0, drawers: 0, embedded: 0 };
  const known = new Set<string>();
  for (let index = Math.floor(step / 2); index < bySize.length; index += step) {
    const source = bySize[Math.min(index, bySize.length - 1)];
    if (source !== undefined) await count(source, counted, known, palace, signal);
  }
  // Fewer sources than steps: the largest stands for them.
  if (counted.bytes === 0 && bySize[0] !== undefined) await count(bySize[0], counted, known, palace, signal);
  return counted;
}

/** @param known hashes of texts that were counted before */
async function count(
  source: Expected,
  counted: Counted,
  known: Set<string>,
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { textKey } = await import('../../embedding/text.js');
  const id = source.filed === undefined ? undefined : palace?.sources.byKey(source.filed)?.id;
  const held = new Set(id === undefined ? [] : palace?.drawers.textsOf(id));
  let chars = 0;
  let whole = true;
  for await (const segment of source.segments()) {
    signal.throwIfAborted();
    chars += segment.text.length;
    for (const chunk of segment.chunks) {
      const hash = textKey(chunk.text);
      const key = hash.toString('latin1');
      const hasVector = known.has(key) || palace?.vectors.has(hash) === true;
      known.add(key);
      if (!held.has(chunk.text)) counted.drawers += 1;
      if (!hasVector) counted.embedded += 1;
    }
    whole = chars < BUDGET_BYTES;
    if (!whole) break;
  }
  counted.bytes += whole ? source.bytes : Math.min(chars, source.bytes);
}

export function formatEstimate({ drawers, seconds }: Estimate): string {
  return drawers === 0 ? 'nothing to embed' : `about ${plural(drawers, 'drawer')}, ${formatSeconds(seconds)}`;
}

/** One line; undefined when there is nothing to file. */
export function formatLargest({ largest }: Estimate): string | undefined {
  if (largest.length === 0) return undefined;
  return `largest: ${largest.map(({ name, bytes }) => `${line(name)} ${formatBytes(bytes)}`).join(', ')}`;
}
