import type { Segment } from '../../miner/segment.js';
import type { Palace } from '../../store/index.js';
import { line } from '../terminal/terminal.js';
import { formatBytes, formatSeconds, plural } from './durations.js';

/** Drawers embedded per second on two cores with the default model, as measured in bench/. */
const DRAWERS_PER_SECOND = 150;
/** This much text is chunked; the rest is extrapolated. 4 MB take about half a second. */
const BUDGET_BYTES = 6_000_000;
/** Number of largest sources to show. */
const NAMED = 3;

export interface Estimate {
  /** Drawers that a run would add. */
  drawers: number;
  seconds: number;
  largest: { name: string; bytes: number }[];
}

/** A source that a run would file. */
export interface Expected {
  /** Shown to the user. */
  name: string;
  /** Size of the file, or of the rows in the database. */
  bytes: number;
  /** Source key of a changed source; undefined for a new one. */
  filed: string | undefined;
  /** Its segments as in a run. Empty when the source cannot be read. */
  segments: () => AsyncIterable<Segment>;
}

interface Counted {
  /** Bytes that were read. */
  bytes: number;
  drawers: number;
  embedded: number;
}

/**
 * Estimates the drawers and the time for filing. Up to 6 MB of sources are chunked. Of more, a sample of all sizes is
 * chunked, and the rest is extrapolated. For a changed source, only its new drawers count.
 */
export async function estimate(
  sources: readonly Expected[],
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<Estimate> {
  let drawers = 0;
  let embedded = 0;
  for (const filed of [false, true]) {
    const part = sources.filter((source) => (source.filed !== undefined) === filed);
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
  // Every n-th source by size, so that large and small sources have their share.
  const step = Math.max(1, Math.ceil(all / BUDGET_BYTES));
  const bySize = [...sources].sort((a, b) => b.bytes - a.bytes);
  const counted: Counted = { bytes: 0, drawers: 0, embedded: 0 };
  const known = new Set<string>();
  for (let index = Math.floor(step / 2); index < bySize.length; index += step) {
    const source = bySize[index];
    if (source !== undefined) await count(source, counted, known, palace, signal);
  }
  // Fewer sources than steps: the largest is the sample.
  if (counted.bytes === 0 && bySize[0] !== undefined) await count(bySize[0], counted, known, palace, signal);
  return counted;
}

/** @param known hashes of counted texts */
async function count(
  source: Expected,
  counted: Counted,
  known: Set<string>,
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { textKey } = await import('../../embedding/text.js');
  const id = source.filed === undefined ? undefined : palace?.sources.byKey(source.filed)?.id;
  const filedTexts = new Set(id === undefined ? [] : palace?.drawers.textsOf(id));
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
      if (!filedTexts.has(chunk.text)) counted.drawers += 1;
      if (!hasVector) counted.embedded += 1;
    }
    whole = chars < BUDGET_BYTES;
    if (!whole) break;
  }
  counted.bytes += whole ? source.bytes : Math.min(chars, source.bytes);
}

export function estimateLines({ drawers, seconds, largest }: Estimate): string[] {
  const total =
    drawers === 0 ? 'nothing to embed' : `about ${plural(drawers, 'drawer')}, ${formatSeconds(seconds)}`;
  const names = largest.map(({ name, bytes }) => `${line(name)} ${formatBytes(bytes)}`).join(', ');
  return names === '' ? [total] : [total, `largest: ${names}`];
}
