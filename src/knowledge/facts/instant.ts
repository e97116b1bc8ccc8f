import { UserError } from '../../core/errors.js';

/**
 * A moment of the graph: a day `YYYY-MM-DD`, or a UTC second `YYYY-MM-DDTHH:MM:SSZ`. A day means its first second
 * wherever it is written: where a fact begins, where it ends, and in a question. A fact holds from its first moment up
 * to, and without, the one at which it ends; so where one ends and the next begins, exactly one holds.
 */
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SECOND = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:Z|\+00:00)$/;

/**
 * A moment in the form in which it is kept.
 *
 * @param what named in what is thrown
 * @throws UserError `usage` for anything but a day or a UTC second that exist
 */
export function parseInstant(what: string, text: string): string {
  const wanted = text.trim();
  const second = SECOND.exec(wanted)?.[1];
  const instant = second === undefined ? wanted : `${second}Z`;
  if ((second !== undefined || DAY.test(wanted)) && exists(instant)) return instant;
  throw new UserError('usage', `${what}: not a moment: ${JSON.stringify(text)}`, {
    hint: 'a day such as 2026-03-01, or a second of UTC such as 2026-03-01T12:00:00Z',
  });
}

function exists(instant: string): boolean {
  const date = new Date(secondOf(instant));
  return !Number.isNaN(date.getTime()) && secondText(date) === secondOf(instant);
}

/** The second that a moment means, as text: such texts sort by time. */
export function secondOf(instant: string): string {
  return DAY.test(instant) ? `${instant}T00:00:00Z` : instant;
}

export function secondText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A period without its last moment; null is open. */
export interface Interval {
  validFrom: string | null;
  validTo: string | null;
}

/** Texts that sort before and behind every moment. */
const startOf = ({ validFrom }: Interval): string => (validFrom === null ? '' : secondOf(validFrom));
const endOf = ({ validTo }: Interval): string => (validTo === null ? '~' : secondOf(validTo));

export function holdsAt(interval: Interval, instant: string): boolean {
  return startOf(interval) <= secondOf(instant) && secondOf(instant) < endOf(interval);
}

/** Whether there is a moment at which both hold. */
export function overlap(one: Interval, other: Interval): boolean {
  const [start, end] = [startOf, endOf].map((of) => [of(one), of(other)].sort());
  return (start?.[1] ?? '') < (end?.[0] ?? '');
}

/** An interval that ends where it begins contains no moment: a fact that was told and taken back at once. */
export function isEmpty(interval: Interval): boolean {
  return endOf(interval) <= startOf(interval);
}

/** An interval that may be empty, but does not end before it begins. */
export function isOrdered(interval: Interval): boolean {
  return startOf(interval) <= endOf(interval);
}
