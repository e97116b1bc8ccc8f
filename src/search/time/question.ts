import { loadChrono } from '../../core/chrono.js';
import { EVER, inYear, lastTime, rangeOf, shifted, type TimeRange, yearOf } from './range.js';
import { datesIn, monthOf, type WrittenDate } from './written-dates.js';

/** Months without a day and a year: after a word that does not precede the verbs "may" and "march", … */
const MONTH_AFTER =
  /(?<=\b(?:in|since|until|till|during|by|from|between|last|early|late|mid|before|after|around)[ -])(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b/giu;
/** … or by its whole name. */
const MONTH_NAME =
  /\b(?:January|February|April|June|July|August|September|October|November|December)\b|(?<=\b(?:the|this|and|to) )(?:March|May)\b/gu;
/** Years: other numbers are ports, counts and codes. */
const YEAR =
  /(?<=\b(?:in|since|during|until|till|before|after|by|from|between|and|to|summer|autumn|winter|spring|early|late|mid|year)(?: of)?[ -])(?:19|20)\d\d\b(?![-./:,]?\d)/giu;
/** Days of the last month, such as "on the 3rd", but not "on the 3rd attempt". */
const DAY =
  /(?<=\b(?:on|since|until|till|before|after|by) the )\d{1,2}(?:st|nd|rd|th)\b(?! (?!(?:and|we|I|you|they|he|she|it|did|was|were|or|at|with)\b)\p{L})/gu;
/** Times relative to today or to a date, of a day or more. */
const RELATIVE =
  /\b(?:yesterday|today|tonight|ago|(?:day|week|month|year)s?|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:last|this) (?:night|morning|afternoon|evening))\b/iu;

/** After a time that is not relative to today: "the last weekend before 10 April". */
const BEFORE_ANOTHER = /^ (?:before|after|of) /iu;

const SINCE = /\b(?:since|after|starting)(?: the)?\s*$/iu;
const UNTIL =
  /\b(?:until|till|before|by|up to|prior to)(?: the)?\s*$|\bbefore(?: [\p{L}\p{N}'-]+){1,5} (?:on|in|of)(?: the)?\s*$/iu;
const RANGE = /^\s*(?:to|until|till|through|-|–)\s*(?:the )?$/iu;
const AND = /^ and (?:the )?$/iu;
const BETWEEN = /\bbetween(?: the)?\s*$/iu;

/**
 * The times that a question names, relative to now in local time: days, weeks, months, years and ranges of them. What is
 * probably something else (the verbs "may" and "march", "port 2024", "version 1.2.4") is not a time.
 *
 * @param now epoch milliseconds
 */
export function timesOf(question: string, now: number): TimeRange[] {
  const date = new Date(now);
  const today = rangeOf(date.getFullYear(), date.getMonth() + 1, date.getDate())?.from;
  if (today === undefined) return [];
  const found: WrittenDate[] = [];
  for (const times of [
    relative(question, date, today),
    datesIn(question, today),
    ...alone(question, today),
  ]) {
    const free = times.filter(
      ({ start, end }) => !found.some((other) => start < other.end && other.start < end),
    );
    found.push(...free.filter(({ range }) => range.from <= today));
  }
  return joined(
    question,
    found.sort((a, b) => a.start - b.start),
  );
}

/** By chrono-node, which is loaded only if a word occurs that needs it. */
function relative(question: string, now: Date, today: string): WrittenDate[] {
  if (!RELATIVE.test(question)) return [];
  return loadChrono()
    .casual.parse(question, now)
    .flatMap(({ index, text, start }) => {
      const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')];
      const isOfAnother = BEFORE_ANOTHER.test(question.slice(index + text.length)) || /before$/iu.test(text);
      if (!RELATIVE.test(text) || isOfAnother || year === null || month === null || day === null) return [];
      const first = /^this week$/iu.test(text) ? today : rangeOf(year, month, day)?.from;
      if (first === undefined) return [];
      // The weekday of the week that has begun may come only after today.
      const isNext = start.isCertain('weekday') && !start.isCertain('day') && first > today;
      const range = widened(text, isNext ? shifted(first, -7) : first, today);
      return [{ start: index, end: index + text.length, range }];
    });
}

/** The week, month or year of a day, if the words name one; until today for such as "the last three days". */
function widened(words: string, day: string, today: string): TimeRange {
  const sinceSunday = new Date(day).getUTCDay();
  const monday = shifted(day, -((sinceSunday + 6) % 7));
  if (/\bpast\b|\b(?:last|previous) \S+ \w+s\b/iu.test(words)) return { from: day, to: today };
  if (/\bweekend\b/iu.test(words)) return { from: shifted(monday, 5), to: shifted(monday, 6) };
  if (/\bweeks?\b/iu.test(words)) return { from: monday, to: shifted(monday, 6) };
  const [year, month] = [yearOf(day), Number(day.slice(5, 7))];
  const wide = /\bmonths?\b/iu.test(words)
    ? rangeOf(year, month)
    : /\byears?\b/iu.test(words)
      ? rangeOf(year)
      : undefined;
  return wide ?? { from: day, to: day };
}

/** Months, years and days without the rest of a date. */
function alone(question: string, today: string): WrittenDate[][] {
  const [year, month] = [yearOf(today), Number(today.slice(5, 7))];
  const readers: [RegExp, (text: string) => TimeRange | undefined][] = [
    [MONTH_AFTER, (text) => lastTime(today, monthOf(text))],
    [MONTH_NAME, (text) => lastTime(today, monthOf(text))],
    [YEAR, (text) => rangeOf(Number(text))],
    [DAY, (text) => lastDay(today, year, month, Number.parseInt(text, 10))],
  ];
  return readers.map(([pattern, read]) =>
    [...question.matchAll(pattern)].flatMap(({ index, 0: text }) => {
      const range = read(text);
      return range === undefined ? [] : [{ start: index, end: index + text.length, range }];
    }),
  );
}

/** The last time that a month had this day, until today. */
function lastDay(today: string, year: number, month: number, day: number): TimeRange | undefined {
  for (let back = 0; back < 12; back += 1) {
    const range = month > back ? rangeOf(year, month - back, day) : rangeOf(year - 1, month - back + 12, day);
    if (range !== undefined && range.from <= today) return range;
  }
  return undefined;
}

/** Times with the words around them: "since", "before", "from … to", "between … and". */
function joined(question: string, times: readonly WrittenDate[]): TimeRange[] {
  const result: TimeRange[] = [];
  times.forEach(({ start, range }, index) => {
    const before = times[index - 1];
    const between = question.slice(before?.end ?? 0, start);
    const isBetween = AND.test(between) && BETWEEN.test(question.slice(0, before?.start));
    if (before !== undefined && (RANGE.test(between) || isBetween)) {
      result.splice(-1, 1, spanned(before.range, range));
    } else if (SINCE.test(between)) result.push({ from: range.from, to: EVER.to });
    else if (UNTIL.test(between)) result.push({ from: EVER.from, to: range.to });
    else result.push(range);
  });
  return result;
}

/** From the first of two times to the end of the second, in the year of the second. "Last week to 2023" spans both, too. */
function spanned(first: TimeRange, second: TimeRange): TimeRange {
  const same = first.everyYear === true ? inYear(first, yearOf(second.from)) : first;
  const { from } = same.from > second.to ? inYear(same, yearOf(same.from) - 1) : same;
  if (from > second.to) return { from: second.from, to: first.to };
  return { from, to: second.to, ...(second.everyYear === true ? { everyYear: true } : {}) };
}
