import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { UserError } from '../core/errors.js';
import { entriesOf, withOurs, withoutOurs } from './crontab.js';
import { complaintOf, must } from './run.js';
import { cronLines } from './templates.js';
import type { InstalledJob, Job, Place, Scheduler, Step, Unavailable } from './types.js';
import { nextWeekly, weeklyOf } from './weekly.js';

export class Cron implements Scheduler {
  readonly id = 'cron';

  constructor(private readonly place: Place) {}

  async unavailable(): Promise<Unavailable | undefined> {
    const crontab = await this.#read();
    return typeof crontab === 'string' ? undefined : crontab;
  }

  async install(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    const before = await this.#text();
    let after = before;
    for (const job of jobs) {
      const had = entriesOf(after, job).length;
      const next = withOurs(after, cronLines(this.place, job), job);
      const what = `crontab: ${job}`;
      const same = next === after;
      const why = had > 1 && !same ? { why: `there were ${had} lines` } : {};
      steps.push({ what, done: same ? 'unchanged' : had === 0 ? 'written' : 'replaced', ...why });
      after = next;
      const left = entriesOf(after, job).length;
      if (left > 1)
        steps.push({ what, done: 'skipped', why: `${left - 1} other line runs it too: crontab -e` });
    }
    if (!dryRun && after !== before) await this.#must(['-'], after);
    if (!daemonIsSeen())
      steps.push({ what: 'cron', done: 'note', why: 'no cron daemon was found; without one nothing starts' });
    return steps;
  }

  async status(job: Job): Promise<InstalledJob | undefined> {
    const entries = entriesOf(await this.#text(), job);
    const [first] = entries;
    if (first === undefined) return undefined;
    const problems: string[] = [];
    if (entries.length > 1)
      problems.push(
        `the crontab has ${entries.length} lines that run it (harmless: the second finds nothing to do): mempalace schedule install --with cron leaves one`,
      );
    if (!daemonIsSeen()) problems.push('no cron daemon was found');
    const weekly = weeklyOf(first.schedule);
    const next = weekly === undefined ? null : nextWeekly(weekly, new Date()).toISOString();
    return { active: null, next, problems };
  }

  async remove(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const before = await this.#text();
    let after = before;
    const steps = jobs.map((job): Step => {
      const what = `crontab: ${job}`;
      const rest = withoutOurs(after, job);
      const others = entriesOf(rest, job).length;
      const done = rest === after ? 'absent' : 'removed';
      after = rest;
      if (others > 0) return { what, done, why: 'another line runs it and stays: crontab -e' };
      return { what, done };
    });
    if (dryRun || after === before) return steps;
    if (after.trim() === '') await this.#must(['-r']);
    else await this.#must(['-'], after);
    return steps;
  }

  /** The crontab, or why it is not available. */
  async #read(): Promise<string | Unavailable> {
    const answer = await this.place.run('crontab', ['-l']);
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
      hint: 'check that this user may have a crontab (/etc/cron.allow)',
    };
  }

  async #text(): Promise<string> {
    const crontab = await this.#read();
    if (typeof crontab === 'string') return crontab;
    throw new UserError('failed', crontab.reason, { hint: crontab.hint });
  }

  #must(args: readonly string[], input?: string): Promise<void> {
    const hint = 'the crontab is unchanged; contrib/README.md has the steps one by one';
    return must(this.place.run, 'crontab', args, hint, input);
  }
}

const CRON_DAEMON = /^(?:ana|fc|dc)?crond?$|^cronie$/;

/** True also where it is unknown (no /proc). */
function daemonIsSeen(): boolean {
  if (!existsSync('/proc')) return true;
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return CRON_DAEMON.test(readFileSync(`/proc/${name}/comm`, 'utf8').trim());
    } catch {
      // The process has ended.
      return false;
    }
  });
}
