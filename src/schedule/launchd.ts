import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { putFile, takeFile, writtenAt } from './owned-file.js';
import { complaintOf, must } from './run.js';
import { labelOf, launchdPlist } from './templates.js';
import type { InstalledJob, Place, Ran, Scheduler, Service, Step, Unavailable } from './types.js';
import { nextWeekly } from './weekly.js';

export class Launchd implements Scheduler {
  readonly id = 'launchd';
  readonly #domain: string;

  constructor(private readonly place: Place) {
    this.#domain = `gui/${place.uid}`;
  }

  async unavailable(): Promise<Unavailable | undefined> {
    const answer = await this.#launchctl('print', this.#domain);
    if (answer.exitCode === 0) return undefined;
    if (answer.exitCode === undefined)
      return { reason: 'launchctl is not installed', hint: 'launchd is for macOS: --with systemd or cron' };
    return {
      reason: `launchctl does not reach ${this.#domain}: ${complaintOf(answer)}`,
      hint: 'launchd needs a graphical login: run this in a terminal on the Mac, or use --with cron',
    };
  }

  async install(services: readonly Service[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    if (!dryRun) mkdirSync(join(this.place.home, 'Library', 'Logs'), { recursive: true });
    for (const service of services) {
      const file = putFile(this.#file(service), launchdPlist(this.place, service), dryRun);
      steps.push(file);
      if (file.done === 'skipped') continue;
      const loaded = (await this.#print(service)).exitCode === 0;
      if (loaded && file.done === 'unchanged') {
        steps.push({ what: labelOf(service), done: 'unchanged' });
        continue;
      }
      if (!dryRun) {
        if (loaded) await this.#must('bootout', this.#target(service));
        // launchd refuses to load an agent that the user has disabled.
        await this.#must('enable', this.#target(service));
        await this.#must('bootstrap', this.#domain, this.#file(service));
      }
      steps.push({ what: labelOf(service), done: 'started' });
    }
    return steps;
  }

  async status(service: Service): Promise<InstalledJob | undefined> {
    const installedAt = writtenAt(this.#file(service));
    if (installedAt === null) return undefined;
    const printed = await this.#print(service);
    const active = printed.exitCode === undefined ? null : printed.exitCode === 0;
    const problem = `the agent is not loaded: launchctl bootstrap ${this.#domain} ${this.#file(service)}`;
    // launchd does not report the last run; the palace records it.
    const exitCode = /^\s*last exit code = (\d+)/m.exec(printed.stdout)?.[1];
    return {
      active,
      next: active === true ? this.#next(service) : null,
      ...(exitCode === undefined ? {} : { result: `exit ${exitCode}`, exitCode: Number(exitCode) }),
      installedAt,
      problems: active === false ? [problem] : [],
    };
  }

  async remove(services: readonly Service[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    for (const service of services) {
      const ours = writtenAt(this.#file(service)) !== null;
      if (ours && (await this.#print(service)).exitCode === 0) {
        if (!dryRun) await this.#must('bootout', this.#target(service));
        steps.push({ what: labelOf(service), done: 'stopped' });
      }
      steps.push(takeFile(this.#file(service), dryRun));
    }
    return steps;
  }

  #file(service: Service): string {
    return join(this.place.home, 'Library', 'LaunchAgents', `${labelOf(service)}.plist`);
  }

  #target(service: Service): string {
    return `${this.#domain}/${labelOf(service)}`;
  }

  #next(service: Service): string | null {
    const text = readFileSync(this.#file(service), 'utf8');
    const value = (key: string) =>
      Number(new RegExp(`<key>${key}</key>\\s*<integer>(\\d+)</integer>`).exec(text)?.[1]);
    const [minute, hour, weekday] = [value('Minute'), value('Hour'), value('Weekday') % 7];
    if (Number.isNaN(minute + hour + weekday)) return null;
    return nextWeekly({ minute, hour, weekday }, new Date()).toISOString();
  }

  #launchctl(...args: string[]): Promise<Ran> {
    return this.place.run('launchctl', args);
  }

  #print(service: Service): Promise<Ran> {
    return this.#launchctl('print', this.#target(service));
  }

  #must(...args: string[]): Promise<void> {
    return must(this.place.run, 'launchctl', args, 'contrib/README.md has the steps one by one');
  }
}
