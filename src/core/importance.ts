/** From the most important. Without a priority, `medium` applies. */
export const PRIORITIES = ['high', 'medium', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];

const IMPORTANCE: Record<Priority, number> = { high: 1, medium: 0.6, low: 0.3 };
const DAY_MS = 86_400_000;

/** Weights of a compound rank. */
export const DEFAULT_WEIGHTS = { relevance: 0.5, recency: 0.25, importance: 0.25 };
export const DEFAULT_HALF_LIFE_DAYS = 30;

/** 0–1; 1 for pinned drawers. */
export function importanceOf(priority: string | null, pinned: boolean): number {
  const known = PRIORITIES.find((each) => each === priority) ?? 'medium';
  return pinned ? 1 : IMPORTANCE[known];
}

/** 0–1: 1 for today and future days (`YYYY-MM-DD`), halved for each half-life of age; 0 for an invalid day. */
export function recencyOf(day: string, now: number, halfLifeDays: number): number {
  const age = Math.max(0, now - Date.parse(day)) / DAY_MS;
  return Number.isFinite(age) ? 0.5 ** (age / halfLifeDays) : 0;
}
