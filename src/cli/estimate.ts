import { formatSeconds, plural } from './durations.js';

/** Characters of a drawer on average; the chunker aims at 800 and closes at borders. */
const CHARS_PER_DRAWER = 650;
/** Drawers filed per second on two cores with the embedded model (bench/). */
const DRAWERS_PER_SECOND = 150;

export interface Estimate {
  drawers: number;
  seconds: number;
}

/** What filing so many characters takes, roughly. */
export function estimate(chars: number): Estimate {
  const drawers = Math.ceil(chars / CHARS_PER_DRAWER);
  return { drawers, seconds: Math.round((drawers / DRAWERS_PER_SECOND) * 10) / 10 };
}

export function formatEstimate({ drawers, seconds }: Estimate): string {
  return drawers === 0 ? 'nothing to embed' : `about ${plural(drawers, 'drawer')}, ${formatSeconds(seconds)}`;
}
