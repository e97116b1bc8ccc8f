import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { putFile, takeFile, writtenAt } from './owned-file.js';
import { complaintOf, must } from './run.js';
import { systemdUnit } from './templates.js';
import {
  BROKER,
  type InstalledJob,
  type Job,
  type Place,
  type Ran,
  type Scheduler,
  type Service,
  type Step,
  type Unavailable,
} from './types.js';

type Kind = 'service' | 'timer';

/** A job is started by a timer, the broker at login. */
const kindsOf = (service: Service): Kind[] => (service === BROKER ? ['service'] : ['service', 'timer']);

/** The unit that is enabled, and the folder of the links that enable it. */
const enabledOf = (service: Service): { unit: string; wants: string } =>
  service === BROKER
    ? { unit: `${service}.service`, wants: 'default.target.wants' }
    : { unit: `${service}.timer`, wants: 'timers.target.wants' };

const CANNOT_CONNECT =
  'over su or a bare ssh: export XDG_RUNTIME_DIR=/run/user/$(id -u); in a container without systemd: --with cron, or by hand (contrib/README.md)';

const HINT = 'systemctl --user status says more; contrib/README.md has the steps one by one';

export class Systemd implements Scheduler {
  readonly id = 'systemd';
  readonly #units: string;

  constructor(private readonly place: Place) {
    this.#units = join(place.config, 'systemd', 'user');
  }

  async unavailable(): Promise<Unavailable | undefined> {
    const answer = await this.#systemctl('show', '--property=Version');
    if (answer.exitCode === 0) return undefined;
    const reason =
      answer.exitCode === undefined
        ? 'systemctl is not installed'
        : `systemctl --user reaches no service manager: ${complaintOf(answer)}`;
    return { reason, hint: CANNOT_CONNECT };
  }

  async install(services: readonly Service[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    const usable: { service: Service; changed: boolean }[] = [];
    for (const service of services) {
      const files = kindsOf(service).map((kind) =>
        putFile(this.#file(service, kind), systemdUnit(this.place, service, kind), dryRun),
      );
      steps.push(...files);
      if (files.some(({ done }) => done === 'skipped')) continue;
      usable.push({ service, changed: files.some(({ done }) => done !== 'unchanged') });
    }
    if (!dryRun && usable.some(({ changed }) => changed)) await this.#must('daemon-reload');
    for (const { service, changed } of usable) {
      const { unit } = enabledOf(service);
      const states = [await this.#systemctl('is-enabled', unit), await this.#systemctl('is-active', unit)];
      if (!changed && states.every(({ exitCode }) => exitCode === 0)) {
        steps.push({ what: unit, done: 'unchanged' });
        continue;
      }
      if (!dryRun) {
        await this.#must('enable', unit);
        // A running timer takes its new times only then.
        await this.#must('restart', unit);
      }
      steps.push({ what: unit, done: 'started' });
    }
    const problem = await this.#lingeringProblem();
    if (problem !== undefined) steps.push({ what: 'lingering', done: 'note', why: problem });
    return steps;
  }

  async status(job: Job): Promise<InstalledJob | undefined> {
    const installedAt = writtenAt(this.#file(job, 'timer'));
    if (installedAt === null) return undefined;
    const timer = await this.#properties(`${job}.timer`);
    const service = await this.#properties(`${job}.service`);
    const last = momentOf(timer?.LastTriggerUSec);
    const active = timer === undefined ? null : timer.ActiveState === 'active';
    const problems: string[] = [];
    if (active === null) problems.push('systemctl --user reaches no service manager, so nothing starts it');
    if (active === false)
      problems.push(`the timer is not started: systemctl --user enable --now ${job}.timer`);
    if (active === true && timer?.UnitFileState !== 'enabled')
      problems.push(`the timer does not survive a restart: systemctl --user enable ${job}.timer`);
    const lingering = await this.#lingeringProblem();
    if (lingering !== undefined) problems.push(lingering);
    const exitCode = Number.parseInt(service?.ExecMainStatus ?? '', 10);
    return {
      active,
      next: momentOf(timer?.NextElapseUSecRealtime),
      last,
      result: last === null ? null : (service?.Result ?? null),
      exitCode: last === null || Number.isNaN(exitCode) ? null : exitCode,
      installedAt,
      problems,
    };
  }

  /** Without a service manager only the files are removed: nothing runs that must be stopped. */
  async remove(services: readonly Service[], dryRun: boolean): Promise<Step[]> {
    const steps: Step[] = [];
    const reachable = (await this.unavailable()) === undefined;
    for (const service of services) {
      const { unit, wants } = enabledOf(service);
      const ours = writtenAt(join(this.#units, unit)) !== null;
      if (ours && reachable) {
        if (!dryRun) await this.#must('disable', '--now', unit);
        steps.push({ what: unit, done: 'stopped' });
      }
      steps.push(...kindsOf(service).map((kind) => takeFile(this.#file(service, kind), dryRun)));
      if (ours && !dryRun) {
        rmSync(join(this.#units, wants, unit), { force: true });
        // The time of the last run, for `Persistent=`.
        rmSync(join(this.place.data, 'systemd', 'timers', `stamp-${unit}`), { force: true });
      }
    }
    if (reachable && !dryRun && steps.some(({ done }) => done === 'removed'))
      await this.#must('daemon-reload');
    return steps;
  }

  #file(service: Service, kind: Kind): string {
    return join(this.#units, `${service}.${kind}`);
  }

  #systemctl(...args: string[]): Promise<Ran> {
    return this.place.run('systemctl', ['--user', '--no-pager', ...args]);
  }

  #must(...args: string[]): Promise<void> {
    return must(this.place.run, 'systemctl', ['--user', '--no-pager', ...args], HINT);
  }

  /** Undefined when the service manager does not answer. */
  async #properties(unit: string): Promise<Record<string, string> | undefined> {
    const { exitCode, stdout } = await this.#systemctl('show', unit);
    if (exitCode !== 0) return undefined;
    const found = stdout.matchAll(/^(\w+)=(.*)$/gm);
    return Object.fromEntries(Array.from(found, ([, name = '', value = '']) => [name, value.trim()]));
  }

  /** A problem when the user's service manager ends with the last session, and its timers too. */
  async #lingeringProblem(): Promise<string | undefined> {
    const asked = ['show-user', String(this.place.uid), '--property=Linger'];
    const answer = await this.place.run('loginctl', asked);
    if (answer.exitCode !== 0 || answer.stdout.trim() !== 'Linger=no') return undefined;
    return 'runs only while you are logged in; on a machine without a desktop: sudo loginctl enable-linger "$USER"';
  }
}

/** Parses `Sun 2026-11-29 03:30:00 UTC`, the form of systemctl under TZ=UTC; null for `n/a`, `0` and an empty text. */
export function momentOf(text: string | undefined): string | null {
  const [, day, time] = /(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})(?:\.\d+)? UTC$/.exec(text ?? '') ?? [];
  return day === undefined || time === undefined ? null : `${day}T${time}.000Z`;
}
