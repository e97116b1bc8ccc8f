import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFile, takeFile, writtenAt } from './owned-file.js';
import { complaintOf, must } from './run.js';
import { labelOf, launchdPlist } from './templates.js';
import {
  type Availability,
  type Job,
  notInstalled,
  type Place,
  type Ran,
  type Scheduler,
  type ScheduleStatus,
  type Step,
} from './types.js';
import { nextWeekly } from './weekly.js';

export class Launchd implements Scheduler {
  readonly id = 'launchd';
  readonly #place: Place;
  readonly #domain: string;

  constructor(place: Place) {
    this.#place = place;
    this.#domain = `gui/${place.uid}`;
  }

  async available(): Promise<Availability> {
    const answer = await this.#launchctl('print', this.#domain);
    if (answer.exitCode === 0) return { available: true };
    return answer.exitCode === undefined
      ? {
          available: false,
          reason: 'launchctl is not installed',
          hint: 'launchd is for macOS: --with systemd or cron',
        }
      : {
          available: false,
          reason: `launchctl does not reach ${this.#domain}: ${complaintOf(answer)}`,
          hint: 'an agent belongs to a login at the screen: install it from a terminal there, or --with cron',
        };
  }

  async install(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    if (!dryRun) mkdirSync(join(this.#place.home, 'Library', 'Logs'), { recursive: true });
    for (const job of jobs) {
      const file = putFile(this.#file(job), launchdPlist(this.#place, job), dryRun);
      steps.push(file);
      if (file.done === 'skipped') continue;
      const loaded = (await this.#print(job)).exitCode === 0;
      if (loaded && file.done === 'unchanged') {
        steps.push({ what: labelOf(job), done: 'unchanged' });
        continue;
      }
      if (!dryRun) {
        if (loaded) await this.#must('bootout', this.#target(job));
        // launchd refuses to load an agent that the user has disabled.
        await this.#must('enable', this.#target(job));
        await this.#must('bootstrap', this.#domain, this.#file(job));
      }
      steps.push({ what: labelOf(job), done: 'started' });
    }
    return steps;
  }

  async status(jobs: readonly Job[]): Promise<ScheduleStatus[]> {
    const statuses: ScheduleStatus[] = [];
    for (const job of jobs) {
      const installedAt = writtenAt(this.#file(job));
      if (installedAt === null) {
        statuses.push(notInstalled(this.id, job));
        continue;
      }
      const printed = await this.#print(job);
      const active = printed.exitCode === undefined ? null : printed.exitCode === 0;
      const exitCode = /^\s*last exit code = (\d+)/m.exec(printed.stdout)?.[1];
      const problems =
        active === false
          ? [`the agent is not loaded: launchctl bootstrap ${this.#domain} ${this.#file(job)}`]
          : [];
      statuses.push({
        ...notInstalled(this.id, job),
        installed: true,
        active,
        next: active === true ? this.#next(job) : null,
        // launchd does not report the last run; the palace records it.
        result: exitCode === undefined ? null : `exit ${exitCode}`,
        exitCode: exitCode === undefined ? null : Number(exitCode),
        installedAt,
        problems,
      });
    }
    return statuses;
  }

  async remove(jobs: readonly Job[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    for (const job of jobs) {
      const ours = writtenAt(this.#file(job)) !== null;
      if (ours && (await this.#print(job)).exitCode === 0) {
        if (!dryRun) await this.#must('bootout', this.#target(job));
        steps.push({ what: labelOf(job), done: 'stopped' });
      }
      steps.push(takeFile(this.#file(job), dryRun));
    }
    return steps;
  }

  #file(job: Job): string {
    return join(this.#place.home, 'Library', 'LaunchAgents', `${labelOf(job)}.plist`);
  }

  #target(job: Job): string {
    return `${this.#domain}/${labelOf(job)}`;
  }

  #next(job: Job): string | null {
    const text = readFileSync(this.#file(job), 'utf8');
    const value = (key: string) => {
      const found = new RegExp(`<key>${key}</key>\\s*<integer>(\\d+)</integer>`).exec(text)?.[1];
      return found === undefined ? undefined : Number(found);
    };
    const [minute, hour, weekday] = [value('Minute'), value('Hour'), value('Weekday')];
    if (minute === undefined || hour === undefined || weekday === undefined) return null;
    return nextWeekly({ minute, hour, weekday: weekday % 7 }, new Date()).toISOString();
  }

  #launchctl(...args: string[]): Promise<Ran> {
    return this.#place.run('launchctl', args);
  }

  #print(job: Job): Promise<Ran> {
    return this.#launchctl('print', this.#target(job));
  }

  #must(...args: string[]): Promise<void> {
    return must(this.#place.run, 'launchctl', args, 'contrib/README.md has the steps one by one');
  }
}
