/**
 * Days of the user: of the zone of this process, which the setting `timezone`, else TZ, else the system names. Moments
 * are stored in UTC; the day of a text is that of the zone in which it was filed.
 */

/** The day of a moment, `YYYY-MM-DD`. @param moment a date, or epoch milliseconds */
export function dayOf(moment: Date | number): string {
  const date = new Date(moment);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The day of a time in epoch milliseconds; undefined outside the years 1 to 9999. */
export function dayOfTime(time: number): string | undefined {
  const year = new Date(time).getFullYear();
  return year >= 1 && year <= 9999 ? dayOf(time) : undefined;
}

/** The day of a text that begins with an ISO date: of its moment if it names a zone, else as it is written. */
export function dayOfText(text: string): string | undefined {
  const day = /^(\d{4})-(\d{2})-(\d{2})/.exec(text)?.[0];
  if (day === undefined) return undefined;
  const zoned = /T.*(?:Z|[+-]\d{2}:?\d{2})$/.test(text) ? dayOfTime(Date.parse(text)) : undefined;
  return zoned ?? (isDay(day) ? day : undefined);
}

/** The day of a moment that this program stored: ISO 8601, UTC. */
export function dayOfMoment(iso: string): string {
  return dayOfText(iso) ?? iso.slice(0, 10);
}

function isDay(day: string): boolean {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}

/** Whether it names a time zone, such as `Europe/Berlin`. */
export function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** What the clock of the user shows, for a program that may be in another zone: `2026-03-04T23:30:00.000`. */
export function localTime(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, -1);
}
