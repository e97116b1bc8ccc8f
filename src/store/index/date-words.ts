const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Words for a day in a query: `2026-03-02 2 March Mar`; empty for null. */
export function dateWords(day: string | null): string {
  const match = /^\d{4}-(\d{2})-(\d{2})$/.exec(day ?? '');
  if (match === null) return '';
  const month = MONTHS[Number(match[1]) - 1] ?? '';
  return `${match[0]} ${Number(match[2])} ${month} ${month.slice(0, 3)}`;
}
