import { dayOf } from '../src/core/day.js';

const WHOLE = new Intl.NumberFormat('en');

export const number = (value: number): string => WHOLE.format(value);

/** `drawer` for 1, else `drawers` */
export const noun = (count: number, one: string): string => (count === 1 ? one : `${one}s`);

/** `1 drawer`, `2 drawers` */
export const counted = (count: number, one: string): string => `${number(count)} ${noun(count, one)}`;

export function bytes(count: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB'];
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return `${value < 10 && unit > 0 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** Local time, to the minute. */
export function minute(iso: string): string {
  const moment = new Date(iso);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${dayOf(moment)} ${two(moment.getHours())}:${two(moment.getMinutes())}`;
}

/** Local time, hours and minutes. */
export const timeOf = (iso: string): string => minute(iso).slice(-5);

const WEEKDAY = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });

/** `Today`, `Yesterday`, `Wednesday 25 November`, `2025-11-26`: days of other years as they are stored. */
export function dayName(day: string, today: string): string {
  if (day === today) return 'Today';
  const [date, now] = [new Date(`${day}T12:00:00`), new Date(`${today}T12:00:00`)];
  if (Math.round((now.getTime() - date.getTime()) / 86_400_000) === 1) return 'Yesterday';
  return date.getFullYear() === now.getFullYear() ? WEEKDAY.format(date) : day;
}

export function seconds(count: number): string {
  if (count < 60) return `${count < 10 ? count.toFixed(1) : Math.round(count)} s`;
  return count < 3600 ? `${Math.round(count / 60)} min` : `${(count / 3600).toFixed(1)} h`;
}

/** The last part of a path. */
export const lastPart = (path: string): string => path.split('/').at(-1) || path;

/** Words with what is below a folder named from there. */
export const namedFrom = (folder: string | null | undefined, words: string): string =>
  folder ? words.replaceAll(`${folder}/`, '') : words;

/** What a source is called where it has no title. */
export function nameOf({ title, source_file }: { title: string | null; source_file: string }): string {
  return title ?? lastPart(source_file);
}

/** ` · changelog` where a text is not prose; conversations are not of a kind. */
export const kindOfText = ({ text_kind }: { text_kind: string | null }): string =>
  text_kind === null || text_kind === 'prose' ? '' : ` · ${text_kind}`;

/** A remark of a program as a sentence. */
const sentence = (remark: string): string =>
  `${remark.charAt(0).toUpperCase()}${remark.slice(1)}${/[.?!]$/.test(remark) ? '' : '.'}`;

/** What a search found. @param isAll there are no further hits */
export function foundText(hits: number, isAll: boolean, notes: readonly string[]): string {
  const count =
    hits === 0
      ? notes.length === 0
        ? ['Nothing was found.']
        : []
      : isAll
        ? [`${counted(hits, 'hit')}.`]
        : [];
  return [...count, ...notes.map(sentence)].join(' ');
}
