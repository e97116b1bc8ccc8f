import { lastTime, rangeOf, type TimeRange } from './range.js';

/** A date written in a text. UTF-16 offsets. */
export interface WrittenDate {
  start: number;
  end: number;
  range: TimeRange;
}

const NAMES = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');
/** A month that is not the verb "may" or "march": those need a capital, or a year. */
const MONTH =
  '(?:[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|Mar(?:ch)?|[Aa]pr(?:il)?|May|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?|[Ss]ept?(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\\b\\.?';
const ANY_MONTH = `(?:${MONTH}|mar(?:ch)?\\b|may\\b)`;
const DAY = '(?<d>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?<y>(?:19|20)\\d\\d)(?!\\d|[.:]\\d)';

/** The forms of a date, from the longest. Group `m` is the name or the number of a month. */
const FORMS = [
  '(?<![\\d.-])(?<y>(?:19|20)\\d\\d)-(?<m>\\d\\d)(?:-(?<d>\\d\\d))?(?![\\d-])',
  `(?<![\\d.:])${DAY}(?:\\s+of)?\\s+(?<m>${ANY_MONTH}),?\\s+${YEAR}`,
  `\\b(?<m>${ANY_MONTH})\\s+${DAY},?\\s+${YEAR}`,
  `\\b(?<m>${ANY_MONTH}),?(?:\\s+of)?\\s+${YEAR}`,
  `(?<![\\d.:])${DAY}(?:\\s+of)?\\s+(?<m>${MONTH})`,
  `\\b(?<m>${MONTH})\\s+${DAY}\\b(?![.:]\\d)`,
  `(?<![\\p{L}\\d./-])${DAY}(?<sign>[./])(?<m>\\d{1,2})\\k<sign>${YEAR}`,
].map((form) => new RegExp(form, 'gu'));

/**
 * The dates that a text contains, in its order: ISO days and months, a day or year with the name of its month, and days
 * as numbers (`3/4/2023` is both 3 April and 4 March).
 *
 * @param today the day from which a date without a year is the last one
 */
export function datesIn(text: string, today: string): WrittenDate[] {
  const found: WrittenDate[] = [];
  for (const form of FORMS) {
    for (const { index: start, 0: match, groups = {} } of text.matchAll(form)) {
      const end = start + match.length;
      if (found.some((other) => start < other.end && other.start < end)) continue;
      for (const range of rangesOf(groups, today)) found.push({ start, end, range });
    }
  }
  return found.sort((a, b) => a.start - b.start);
}

function rangesOf({ y, m = '', d, sign }: Record<string, string | undefined>, today: string): TimeRange[] {
  const month = /^\d/.test(m) ? Number(m) : monthOf(m);
  const day = d === undefined ? undefined : Number(d);
  if (y === undefined) return [lastTime(today, month, day)].filter((range) => range !== undefined);
  const american = sign === '/' ? rangeOf(Number(y), day, month) : undefined;
  return [rangeOf(Number(y), month, day), american].filter((range) => range !== undefined);
}

/** The number of a month, 1–12, from its name or the beginning of it. */
export function monthOf(name: string): number {
  return NAMES.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}
