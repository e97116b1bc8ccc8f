/** A weekly moment in local time; Sunday is 0. */
export interface Weekly {
  minute: number;
  hour: number;
  weekday: number;
}

export function nextWeekly({ minute, hour, weekday }: Weekly, now: Date): Date {
  const next = new Date(now.getFullYear(), now.getMonth(), now.getDate(), hour, minute);
  next.setDate(next.getDate() + ((weekday - now.getDay() + 7) % 7));
  if (next <= now) next.setDate(next.getDate() + 7);
  return next;
}

/** Parses the five fields of a crontab, if they consist of a minute, an hour and a weekday. */
export function weeklyOf(fields: string): Weekly | undefined {
  const [, minute, hour, day] = /^(\d{1,2})\s+(\d{1,2})\s+\*\s+\*\s+([0-7])$/.exec(fields.trim()) ?? [];
  if (minute === undefined || hour === undefined || day === undefined) return undefined;
  return { minute: Number(minute), hour: Number(hour), weekday: Number(day) % 7 };
}
