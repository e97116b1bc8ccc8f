import { readdirSync, readFileSync } from 'node:fs';
import { UserError } from '../core/errors.js';
import { entriesOf, withOurs, withoutOurs } from './crontab.js';
import { complaintOf, must } from './run.js';
import { cronLines } from './templates.js';
import {
  type Availability,
  type Job,
  notInstalled,
  type Place,
  type Scheduler,
  type ScheduleStatus,
  type Step,
} from './types.js';
import { nextWeekly, weeklyOf } from './weekly.js';

/** Lines of the user's crontab. */
export class Cron implements Scheduler {
  readonly id = 'cron';
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  async available(): Promise<Availability> {
    const crontab = await this.#read();
    if (typeof crontab === 'string') return { available: true };
    return { available: false, ...crontab };
  }

  async install(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    const before = await this.#text();
    let after = before;
    for (const job of jobs) {
      const had = entriesOf(after, job).length;
      const next = withOurs(after, cronLines(this.#place, job), job);
      const what = `crontab: ${job}`;
      const same = sameLines(next, after);
      const why = had > 1 && !same ? { why: `there were ${had} lines` } : {};
      steps.push({ what, done: same ? 'unchanged' : had === 0 ? 'written' : 'replaced', ...why });
      if (!same) after = next;
      const left = entriesOf(after, job).length;
      if (left > 1) {
        steps.push({
          what,
          done: 'skipped',
          why: `${left - 1} more line runs it, and is not ours: crontab -e`,
        });
      }
    }
    if (!dryRun && after !== before) await this.#write(after);
    if (!daemonIsSeen()) {
      steps.push({
        what: 'cron',
        done: 'note',
        why: 'no cron daemon is seen to run here; without one nothing starts',
      });
    }
    return steps;
  }

  async status(jobs: readonly Job[]): Promise<ScheduleStatus[]> {
    const crontab = await this.#text();
    return jobs.map((job) => {
      const entries = entriesOf(crontab, job);
      const [first] = entries;
      if (first === undefined) return notInstalled(this.id, job);
      const weekly = weeklyOf(first.schedule);
      const problems: string[] = [];
      if (entries.length > 1) {
        problems.push(
          `the crontab has ${entries.length} lines that run it (harmless: the second finds nothing to do): mempalace schedule install --with cron leaves one`,
        );
      }
      if (!daemonIsSeen()) problems.push('no cron daemon is seen to run here');
      return {
        ...notInstalled(this.id, job),
        installed: true,
        active: null,
        next: weekly === undefined ? null : nextWeekly(weekly, new Date()).toISOString(),
        problems,
      };
    });
  }

  async remove(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const before = await this.#text();
    let after = before;
    const steps = jobs.map((job): Step => {
      const what = `crontab: ${job}`;
      const rest = withoutOurs(after, job);
      const others = entriesOf(rest, job).length;
      const done = sameLines(rest, after) ? 'absent' : 'removed';
      after = rest;
      if (others > 0) return { what, done, why: 'a line that is not ours runs it and stays: crontab -e' };
      return { what, done };
    });
    if (dryRun || sameLines(after, before)) return steps;
    if (after.trim() === '') await this.#must(['-r']);
    else await this.#write(after);
    return steps;
  }

  /** The crontab, or why there can be none. */
  async #read(): Promise<string | { reason: string; hint: string }> {
    const answer = await this.#place.run('crontab', ['-l']);
    if (answer.exitCode === 0) return answer.stdout;
    if (answer.exitCode === undefined) {
      return {
        reason: 'crontab is not installed',
        hint: 'install cron, or run the commands by hand (contrib/README.md)',
      };
    }
    if (/no crontab|can't open/i.test(answer.stderr)) return '';
    return {
      reason: `crontab -l: ${complaintOf(answer)}`,
      hint: 'may this user have a crontab (/etc/cron.allow)?',
    };
  }

  async #text(): Promise<string> {
    const crontab = await this.#read();
    if (typeof crontab === 'string') return crontab;
    throw new UserError('failed', crontab.reason, { hint: crontab.hint });
  }

  #write(text: string): Promise<void> {
    return this.#must(['-'], text);
  }

  #must(args: readonly string[], input?: string): Promise<void> {
    const hint = 'the crontab is as it was; contrib/README.md has the steps one by one';
    return must(this.#place.run, 'crontab', args, hint, input);
  }
}

/** A last line without its end is no difference. */
function sameLines(one: string, other: string): boolean {
  return one.replace(/\n$/, '') === other.replace(/\n$/, '');
}

/** True where it cannot be told (no /proc). */
function daemonIsSeen(): boolean {
  try {
    return readdirSync('/proc').some((name) => {
      if (!/^\d+$/.test(name)) return false;
      try {
        return /^(?:ana|fc|dc)?cron[d]?$|^cronie$|^crond$/.test(
          readFileSync(`/proc/${name}/comm`, 'utf8').trim(),
        );
      } catch {
        return false;
      }
    });
  } catch {
    return true;
  }
}
