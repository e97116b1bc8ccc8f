import { loadChrono } from './chrono.js';
import { dayOf } from './day.js';
import { UserError } from './errors.js';

const HINT = "such as 2026-03-01, 2026-03-01T12:00, 12h, 3d, 2w, 6mo, 1y, 'last friday' or '3 days ago'";

/**
 * Parses the value of a flag to epoch milliseconds. A bare date is the start of that day in local time.
 * @throws UserError `usage` for an invalid or future time
 */
export function parseMoment(flag: string, text: string, now: Date): number {
  const moment = momentOf(text, now);
  if (moment !== undefined && moment <= now.getTime()) return moment;
  const problem = moment === undefined ? 'is not a time' : 'is in the future';
  throw new UserError('usage', `${flag}: ${JSON.stringify(text)} ${problem}`, { hint: HINT });
}

function momentOf(text: string, now: Date): number | undefined {
  const wanted = text.trim();
  const moment = parseDate(wanted) ?? parseSpan(wanted, now) ?? parseWords(wanted, now);
  return moment === undefined || Number.isNaN(moment) ? undefined : moment;
}

/** The local day, as `YYYY-MM-DD`; undefined without a text. Throws as `parseMoment` does. */
export function parseDay(flag: string, text: string | undefined, now: Date): string | undefined {
  return text === undefined ? undefined : dayOf(new Date(parseMoment(flag, text, now)));
}

/** The local day for words such as "yesterday", "3d" or "next friday"; any other text as it is. */
export function dayOrText(text: string | undefined, now: Date): string | undefined {
  if (text === undefined || parseDate(text.trim()) !== undefined) return text;
  const moment = momentOf(text, now);
  return moment === undefined ? text : dayOf(new Date(moment));
}

/** `YYYY-MM-DD`, or ISO with a time (local unless it names a zone). */
function parseDate(text: string): number | undefined {
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}.*))?$/.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, time] = match;
  const midnight = new Date(Number(year), Number(month) - 1, Number(day));
  const exists = midnight.getMonth() === Number(month) - 1 && midnight.getDate() === Number(day);
  if (!exists) return Number.NaN;
  return time === undefined ? midnight.getTime() : Date.parse(`${year}-${month}-${day}T${time}`);
}

const HOUR_MS = 3_600_000;
const UNIT_HOURS: Readonly<Record<string, number>> = { h: 1, d: 24, w: 168 };

function parseSpan(text: string, now: Date): number | undefined {
  const match = /^(\d{1,6})\s*(h|d|w|mo|y)$/i.exec(text);
  if (match === null) return undefined;
  const amount = Number(match[1]);
  const unit = match[2]?.toLowerCase() ?? '';
  const hours = UNIT_HOURS[unit];
  if (hours !== undefined) return now.getTime() - amount * hours * HOUR_MS;
  return monthsBefore(now, unit === 'y' ? amount * 12 : amount);
}

/** The same day of an earlier month, or that month's last day. */
function monthsBefore(now: Date, months: number): number {
  const date = new Date(now);
  date.setMonth(date.getMonth() - months);
  // A day that the month lacks became one of the next month.
  if (date.getDate() !== now.getDate()) date.setDate(0);
  return date.getTime();
}

/** By chrono-node, which must match the whole text. */
function parseWords(text: string, now: Date): number | undefined {
  const [found, ...others] = loadChrono().casual.parse(text, now);
  if (found === undefined || others.length > 0 || found.text.length !== text.length) return undefined;
  const { start } = found;
  const date = start.date();
  // chrono sets a day without a time to noon.
  if (!start.isCertain('hour')) date.setHours(0, 0, 0, 0);
  const weekdayOnly = start.isCertain('weekday') && !start.isCertain('day');
  if (weekdayOnly && date > now) date.setDate(date.getDate() - 7);
  return date.getTime();
}
