import type { Segment } from '../../miner/segment.js';
import type { Palace } from '../../store/index.js';
import { formatBytes, formatSeconds, plural } from '../../terminal/durations.js';
import { line } from '../../terminal/terminal.js';

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

/**
 * Estimates the drawers and the time for filing. Up to 6 MB of sources are chunked. Of more, a sample of all sizes is
 * chunked, and the rest is extrapolated. For a changed source, only its new drawers count.
 */
export async function estimate(
  sources: readonly Expected[],
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<Estimate> {
  const bySize = [...sources].sort((a, b) => b.bytes - a.bytes);
  let drawers = 0;
  let embedded = 0;
  for (const filed of [false, true]) {
    const part = bySize.filter((source) => (source.filed !== undefined) === filed);
    const all = part.reduce((sum, { bytes }) => sum + bytes, 0);
    const counted: Counted = { bytes: 0, drawers: 0, embedded: 0, known: new Set() };
    for (const source of sampleOf(part, all)) await count(source, counted, palace, signal);
    const scale = counted.bytes === 0 ? 1 : Math.max(1, all / counted.bytes);
    drawers += counted.drawers * scale;
    embedded += counted.embedded * scale;
  }
  return {
    drawers: Math.round(drawers),
    seconds: Math.round((embedded / DRAWERS_PER_SECOND) * 10) / 10,
    largest: bySize.slice(0, NAMED).map(({ name, bytes }) => ({ name, bytes })),
  };
}

/** Every n-th source by size, so that large and small sources have their share; of few sources the largest. */
function sampleOf(bySize: readonly Expected[], all: number): readonly Expected[] {
  const step = Math.max(1, Math.ceil(all / BUDGET_BYTES));
  const sample = bySize.filter((_, index) => index % step === Math.floor(step / 2));
  return sample.length > 0 ? sample : bySize.slice(0, 1);
}

interface Counted {
  /** Bytes that were read. */
  bytes: number;
  drawers: number;
  embedded: number;
  /** Keys of the texts. */
  known: Set<string>;
}

async function count(
  source: Expected,
  counted: Counted,
  palace: Palace | undefined,
  signal: AbortSignal,
): Promise<void> {
  const { textKey } = await import('../../embedding/text.js');
  const id = source.filed === undefined ? undefined : palace?.sources.byKey(source.filed)?.id;
  const filedTexts = new Set(id === undefined ? [] : palace?.drawers.textsOf(id));
  let chars = 0;
  for await (const segment of source.segments()) {
    signal.throwIfAborted();
    chars += segment.text.length;
    for (const chunk of segment.chunks) {
      const hash = textKey(chunk.text);
      const key = hash.toString('latin1');
      if (!filedTexts.has(chunk.text)) counted.drawers += 1;
      if (!counted.known.has(key) && palace?.vectors.has(hash) !== true) counted.embedded += 1;
      counted.known.add(key);
    }
    if (chars >= BUDGET_BYTES) break;
  }
  counted.bytes += chars < BUDGET_BYTES ? source.bytes : Math.min(chars, source.bytes);
}

export function estimateLines({ drawers, seconds, largest }: Estimate): string[] {
  const total =
    drawers === 0 ? 'nothing to embed' : `about ${plural(drawers, 'drawer')}, ${formatSeconds(seconds)}`;
  const names = largest.map(({ name, bytes }) => `${line(name)} ${formatBytes(bytes)}`).join(', ');
  return names === '' ? [total] : [total, `largest: ${names}`];
}
