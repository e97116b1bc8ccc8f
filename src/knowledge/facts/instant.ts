import { UserError } from '../../core/errors.js';

/**
 * A moment of the graph: a day `YYYY-MM-DD`, or a UTC second `YYYY-MM-DDTHH:MM:SSZ`. A day means its first second
 * everywhere. A fact is true from its beginning up to its end, exclusive: where one ends and the next begins, exactly one
 * is true.
 */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SECOND = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:Z|\+00:00)$/;

/**
 * Parses a moment into its stored form.
 *
 * @param what the argument's name in an error
 * @throws UserError `usage` for anything but an existing day or UTC second
 */
export function parseInstant(what: string, text: string): string {
  const wanted = text.trim();
  const second = SECOND.exec(wanted)?.[1];
  const instant = second === undefined ? wanted : `${second}Z`;
  const date = new Date(secondOf(instant));
  // A day such as 30 February becomes another day.
  const exists = !Number.isNaN(date.getTime()) && secondText(date) === secondOf(instant);
  if ((second !== undefined || DAY.test(wanted)) && exists) return instant;
  throw new UserError('usage', `${what}: not a moment: ${JSON.stringify(text)}`, {
    hint: 'a day such as 2026-03-01, or a second of UTC such as 2026-03-01T12:00:00Z',
  });
}

/** The first second of a moment, as text that sorts by time. */
export function secondOf(instant: string): string {
  return DAY.test(instant) ? `${instant}T00:00:00Z` : instant;
}

/** A moment as `YYYY-MM-DDTHH:MM:SSZ`, UTC. */
export function secondText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A period, end exclusive; null is open. */
export interface Interval {
  valid_from: string | null;
  valid_to: string | null;
}

/** Texts that sort before and after every moment. */
const startOf = ({ valid_from }: Interval): string => (valid_from === null ? '' : secondOf(valid_from));
const endOf = ({ valid_to }: Interval): string => (valid_to === null ? '~' : secondOf(valid_to));

/** Whether a moment is in the interval. */
export function holdsAt(interval: Interval, instant: string): boolean {
  return startOf(interval) <= secondOf(instant) && secondOf(instant) < endOf(interval);
}

/** Whether two intervals share a moment. */
export function overlap(one: Interval, other: Interval): boolean {
  const [start, end] = [startOf, endOf].map((of) => [of(one), of(other)].sort());
  return (start?.[1] ?? '') < (end?.[0] ?? '');
}

/** An interval that ends where it begins contains no moment: a fact that was added and ended at once. */
export function isEmpty(interval: Interval): boolean {
  return endOf(interval) <= startOf(interval);
}

/** False if it would end before it begins. */
export function isOrdered(interval: Interval): boolean {
  return startOf(interval) <= endOf(interval);
}
