import { MARK } from './templates.js';
import type { Job } from './types.js';

export interface CronEntry {
  /** Line number, from 0. */
  index: number;
  /** `30 3 * * 0`, or `@weekly`. */
  schedule: string;
  command: string;
}

/** All entries that run a program, the toolkit's and others. */
export function entriesOf(crontab: string, job: Job): CronEntry[] {
  return linesOf(crontab).flatMap((text, index) => {
    const [, schedule, command] = /^\s*((?:@\w+)|(?:[^\s#=@]\S*\s+){4}\S+)\s+(.*)$/.exec(text) ?? [];
    if (schedule === undefined || command === undefined || !runs(command, job)) return [];
    return [{ index, schedule: schedule.trim(), command }];
  });
}

/** The crontab without the toolkit's lines: the entry with the mark, its comments, and duplicates. */
export function withoutOurs(crontab: string, job: Job): string {
  const ours = entriesOf(crontab, job).filter(({ command }) => isOurs(command, job));
  const lines = linesOf(crontab);
  const kept = lines.filter(
    (text, at) => !text.startsWith(`# ${job}: `) && !ours.some(({ index }) => index === at),
  );
  return kept.length === lines.length ? crontab : joined(kept);
}

/** The crontab with the toolkit's lines: in place when they are up to date, else at the end. */
export function withOurs(crontab: string, lines: string, job: Job): string {
  const stays = new Set(linesOf(withoutOurs(crontab, job)));
  const ours = linesOf(crontab).filter((text) => !stays.has(text));
  if (joined(ours) === joined(linesOf(lines))) return crontab;
  return joined([...linesOf(withoutOurs(crontab, job)), ...linesOf(lines)]);
}

/** With the mark, or in the form of earlier versions. */
function isOurs(command: string, job: Job): boolean {
  return (
    command.trimEnd().endsWith(`# ${MARK}`) ||
    (command.startsWith('PATH="$HOME/.local/bin:$HOME/.volta/bin:') && runs(command, job))
  );
}

function runs(command: string, job: Job): boolean {
  return new RegExp(`(?:^|[\\s/"'])${job}(?=["'\\s]|$)`).test(command);
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

/** cron ignores a last line without a line feed. */
function joined(lines: readonly string[]): string {
  return lines.map((text) => `${text}\n`).join('');
}
