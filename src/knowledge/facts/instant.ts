import { UserError } from '../../core/errors.js';

/**
 * A moment of the graph: a day `YYYY-MM-DD`, or a UTC second `YYYY-MM-DDTHH:MM:SSZ`. A day stands for its first
 * second, wherever it is written: where a fact begins, where it ends, and in a question. A fact holds from its first
 * moment up to, and without, the one at which it ends; so where one ends and the next begins, exactly one holds.
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

/** The second that a moment stands for, as text: such texts are in the order of time. */
export function secondOf(instant: string): string {
  return DAY.test(instant) ? `${instant}T00:00:00Z` : instant;
}

/** The second of a date. */
export function secondText(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** A stretch of time without its end; null is open. */
export interface Interval {
  validFrom: string | null;
  validTo: string | null;
}

/** Whether an interval holds a moment. */
export function holdsAt({ validFrom, validTo }: Interval, instant: string): boolean {
  const at = secondOf(instant);
  return (validFrom === null || secondOf(validFrom) <= at) && (validTo === null || secondOf(validTo) > at);
}

/** Whether there is a moment that both hold. */
export function overlap(one: Interval, other: Interval): boolean {
  const from = later(one.validFrom, other.validFrom);
  const to = earlier(one.validTo, other.validTo);
  const shared = from === null || to === null || from < to;
  return shared && !isEmpty(one) && !isEmpty(other);
}

/** An interval that ends where it begins holds nothing: what was told and taken back at once. */
export function isEmpty({ validFrom, validTo }: Interval): boolean {
  return validFrom !== null && validTo !== null && secondOf(validTo) <= secondOf(validFrom);
}

function later(one: string | null, other: string | null): string | null {
  const [a, b] = [one, other].map((each) => (each === null ? null : secondOf(each)));
  if (a === null || a === undefined) return b ?? null;
  return b === null || b === undefined || a > b ? a : b;
}

function earlier(one: string | null, other: string | null): string | null {
  const [a, b] = [one, other].map((each) => (each === null ? null : secondOf(each)));
  if (a === null || a === undefined) return b ?? null;
  return b === null || b === undefined || a < b ? a : b;
}
