import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseDuration } from '../../src/terminal/durations.js';
import { removeFolder } from '../support/cleanups.js';
import { has, run, sandboxedCrontab, shim } from '../support/tools.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contrib = join(root, 'contrib');
const read = (path: string) => readFileSync(path, 'utf8');
const README = read(join(contrib, 'README.md'));
const hasCrontabCheck = has('crontab') && /\s-n\b/.test(String(run('crontab', ['-h']).stderr));

const JOBS = [
  { job: 'mempalace-session', task: ['--since', '--quiet'], hour: 3 },
  { job: 'mempalace-docs', task: ['--all', '--quiet'], hour: 4 },
];

/** `Key=value` lines of a unit, by section; repeated keys are joined. */
function unit(path: string): Record<string, Record<string, string>> {
  const sections: Record<string, Record<string, string>> = {};
  let current: Record<string, string> = {};
  for (const line of read(path).split('\n')) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, key, value] = /^([^#=]+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) {
      current = {};
      sections[section] = current;
    } else if (key !== undefined && value !== undefined) {
      current[key] = key in current ? `${current[key]}\n${value}` : value;
    }
  }
  return sections;
}

/** The only entry of a crontab, as cron passes it to the shell. */
function cronEntry(text: string): { schedule: string; command: string } {
  const entries = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  expect(entries).toHaveLength(1);
  const [, schedule, command] = /^((?:\S+\s+){5})(.*)$/.exec(entries[0] ?? '') ?? [];
  return { schedule: schedule?.trim() ?? '', command: command ?? '' };
}

/** The blocks of commands in a section of the page. */
function recipes(section: string): string[] {
  const text = README.split(/^##+ /m).find((part) => part.startsWith(section)) ?? '';
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
}

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contrib-'));
  home = join(folder, 'home of someone');
  for (const { job } of JOBS) {
    shim(
      join(home, '.local/bin'),
      job,
      'echo "ran $*"; echo "$PATH"; echo "$MEMPALACE_LOG_FILE"; exit $SHALL',
    );
  }
});
afterAll(() => removeFolder(folder));

describe.each(JOBS)('$job', ({ job, task, hour }) => {
  const SERVICE = join(contrib, `systemd/${job}.service`);
  const TIMER = join(contrib, `systemd/${job}.timer`);
  const PLIST = join(contrib, `launchd/se.jordbo.${job}.plist`);
  const CRON = join(contrib, `cron/${job}.cron`);

  describe('with systemd', () => {
    it('runs at the lowest priority, accepts exit codes 3 and 11, and has time to stop by itself', () => {
      const { Service } = unit(SERVICE);
      expect(Service).toMatchObject({
        Type: 'oneshot',
        SuccessExitStatus: '3 11',
        IOSchedulingClass: 'idle',
        CPUSchedulingPolicy: 'idle',
        Nice: '19',
        UMask: '0077',
        NoNewPrivileges: 'yes',
      });
      expect(Service?.ExecStart?.startsWith(`%h/.local/bin/${job} ${task.join(' ')} `)).toBe(true);
      expect(Service?.ExecStart).not.toContain('--repair');
      const [, longest = '', wait = ''] =
        /--max-duration (\S+) --wait (\S+)$/.exec(Service?.ExecStart ?? '') ?? [];
      const limit = parseDuration('', Service?.TimeoutStartSec ?? '');
      expect(limit).toBeGreaterThan(parseDuration('', longest) + parseDuration('', wait));
    });

    it('has no setting that needs privileges in a user manager, or that breaks node', () => {
      const { Service = {} } = unit(SERVICE);
      const keys = Object.keys(Service).join(' ');
      expect(keys).not.toMatch(
        /Private|Protect|Capabilit|ReadOnly|ReadWrite|Inaccessible|BindPaths|MemoryDeny|Device|User|Group/,
      );
    });

    it('runs weekly, catches up, and randomises the start', () => {
      const { Timer, Install } = unit(TIMER);
      expect(Timer).toEqual({
        OnCalendar: `Sun *-*-* 0${hour}:30:00`,
        Persistent: 'true',
        RandomizedDelaySec: '1h',
      });
      expect(Install).toEqual({ WantedBy: 'timers.target' });
    });

    it.skipIf(!has('systemd-analyze'))('passes systemd-analyze (skipped without it)', () => {
      for (const path of [SERVICE, TIMER]) {
        const flags = ['verify', '--user', '--man=no', '--recursive-errors=yes', path];
        const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: folder };
        const check = run('systemd-analyze', flags, { env });
        expect([check.status, check.stderr]).toEqual([0, '']);
      }
      const calendar = run('systemd-analyze', ['calendar', unit(TIMER).Timer?.OnCalendar ?? ''], {
        env: { ...process.env, TZ: 'UTC' },
      });
      expect([calendar.status, calendar.stdout]).toEqual([
        0,
        expect.stringMatching(new RegExp(`Next elapse: Sun .* 0${hour}:30:00 UTC`)),
      ]);
    });
  });

  describe('with launchd', () => {
    const filled = () => String(run('sed', ['s|USER|ada|g', PLIST]).stdout);

    it.skipIf(!has('plistutil'))('is a property list to plistutil (skipped without plistutil)', () => {
      const path = join(folder, 'filled.plist');
      writeFileSync(path, filled());
      const check = run('plistutil', ['-i', path, '-f', 'bin', '-o', '/dev/null']);
      expect([check.status, check.stderr]).toEqual([0, '']);
    });

    it.skipIf(!has('python3'))('has the expected values (skipped without python3)', () => {
      const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
      const values = JSON.parse(String(run('python3', ['-c', script], { input: filled() }).stdout));
      expect(values).toMatchObject({
        Label: `se.jordbo.${job}`,
        StartCalendarInterval: { Weekday: 0, Hour: hour, Minute: 30 },
        ProcessType: 'Background',
        LowPriorityIO: true,
        Umask: 0o077,
        StandardErrorPath: `/Users/ada/Library/Logs/${job}.err`,
      });
      expect(values.ProgramArguments.slice(0, 3)).toEqual([`/Users/ada/.local/bin/${job}`, ...task]);
      expect(values.EnvironmentVariables.MEMPALACE_LOG_FILE).toBe(`/Users/ada/Library/Logs/${job}.log`);
      expect(JSON.stringify(values)).not.toContain('USER');
    });
  });

  describe('with cron', () => {
    const started = (env: Record<string, string>) =>
      run('/bin/sh', ['-c', cronEntry(read(CRON)).command], {
        env: { HOME: home, PATH: '/usr/bin:/bin', ...env },
      });

    it('runs weekly, with node on its PATH and a log, from a home with spaces, without cron’s environment', () => {
      expect(cronEntry(read(CRON)).schedule).toBe(`30 ${hour} * * 0`);
      const failed = started({ SHALL: '1' });
      const [ran, path, log] = String(failed.stdout).split('\n');
      expect(ran?.startsWith(`ran ${task.join(' ')} `)).toBe(true);
      expect(path?.split(':')).toEqual(
        expect.arrayContaining([
          `${home}/.local/bin`,
          '/opt/homebrew/bin',
          '/usr/local/bin',
          '/usr/bin',
          '/bin',
        ]),
      );
      expect(log).toBe(`${home}/.local/state/mempalace/${job}.log`);
    });

    it('prints nothing, and so sends no mail, unless it failed or held something back', () => {
      for (const code of ['0', '11']) {
        const quiet = started({ SHALL: code });
        expect([quiet.stdout, quiet.stderr], code).toEqual(['', '']);
      }
      for (const code of ['1', '2', '3']) expect(started({ SHALL: code }).stdout, code).toContain('ran');
    });

    it('has no percent sign, which cron reads as a newline, and ends in a newline', () => {
      expect(read(CRON)).not.toContain('%');
      expect(read(CRON).endsWith('\n')).toBe(true);
    });

    it.skipIf(!hasCrontabCheck)('passes crontab -n (skipped without a crontab that can check)', () => {
      expect(run('crontab', ['-n', CRON]).status).toBe(0);
    });
  });
});

describe('contrib/README.md', () => {
  it('says how to install, verify and uninstall each schedule', () => {
    const sections = README.split(/^## /m);
    for (const name of ['systemd', 'launchd', 'cron']) {
      const text = sections.find((section) => section.startsWith(name));
      expect(text, name).toMatch(/```sh[\s\S]*Verify[\s\S]*```sh[\s\S]*Uninstall[\s\S]*```sh/);
    }
    expect(sections.find((section) => section.startsWith('By hand'))).toMatch(/Verify[\s\S]*uninstall/);
  });

  /** Runs recipes as pasted, from the root of the checkout, with fakes of other programs. */
  const follow = (script: string, at: string, shims: string) =>
    run('bash', ['--norc', '-c', script], {
      cwd: root,
      env: { HOME: at, USER: 'ada', PATH: `${shims}:${process.env.PATH}` },
    });

  // systemctl and launchctl are recorded, not run: there is no user manager and no Mac here.
  it.skipIf(!has('bash'))(
    'has a recipe for systemd that installs and removes (bash; systemctl is a fake)',
    () => {
      const at = join(folder, 'by systemd');
      const shims = join(folder, 'systemd-shims');
      shim(shims, 'systemctl', `echo "systemctl $*" >> '${folder}/systemctl.log'`);
      const [install = '', , , uninstall = ''] = recipes('systemd');
      mkdirSync(at);
      expect(follow(install, at, shims).stderr).toBe('');
      const units = join(at, '.config/systemd/user');
      for (const { job } of JOBS) {
        for (const kind of ['service', 'timer']) {
          expect(read(join(units, `${job}.${kind}`))).toBe(read(join(contrib, `systemd/${job}.${kind}`)));
        }
      }
      expect(read(join(folder, 'systemctl.log'))).toContain('--user enable --now mempalace-session.timer');
      expect(follow(uninstall, at, shims).stderr).toBe('');
      expect(run('ls', [units]).stdout).toBe('');
    },
  );

  it.skipIf(!has('bash'))(
    'has a recipe for launchd that installs and removes (bash; launchctl is a fake)',
    () => {
      const at = join(folder, 'by launchd');
      const shims = join(folder, 'launchd-shims');
      shim(shims, 'launchctl', `echo "launchctl $*" >> '${folder}/launchctl.log'`);
      const [install = '', , uninstall = ''] = recipes('launchd');
      mkdirSync(at);
      expect(follow(install, at, shims).stderr).toBe('');
      const plist = join(at, 'Library/LaunchAgents/se.jordbo.mempalace-session.plist');
      expect(read(plist)).toContain('<string>/Users/ada/.local/bin/mempalace-session</string>');
      expect(read(join(folder, 'launchctl.log'))).toMatch(
        /^launchctl bootstrap gui\/\d+ .*plist\nlaunchctl enable/,
      );
      expect(follow(uninstall, at, shims).stderr).toBe('');
      expect(existsSync(plist)).toBe(false);
    },
  );

  const crontab = sandboxedCrontab('news');
  it.skipIf(crontab === undefined || !has('bash'))(
    'has a recipe for cron that adds, verifies and removes (skipped unless root with a real crontab)',
    () => {
      if (crontab === undefined) return;
      const at = join(folder, 'by cron');
      const shims = join(folder, 'cron-shims');
      shim(shims, 'crontab', crontab.script);
      shim(
        join(at, '.local/bin'),
        'mempalace-session',
        'mkdir -p ~/.local/state/mempalace; echo "$*" >> "$MEMPALACE_LOG_FILE"',
      );
      const [install = '', verify = '', uninstall = ''] = recipes('cron');
      try {
        expect(follow(install, at, shims).stderr).toBe('');
        const line = cronEntry(read(join(contrib, 'cron/mempalace-session.cron'))).command;
        expect(crontab.text()).toContain(line);
        const verified = follow(verify, at, shims);
        expect(verified.stderr).toBe('');
        expect(verified.stdout).toMatch(/--since --quiet --max-duration 2h --wait 30m\n$/);
        follow(install, at, shims);
        expect(crontab.text().split(line)).toHaveLength(3);
        expect(follow(uninstall, at, shims).stderr).toBe('');
        expect(crontab.text()).not.toContain('mempalace');
      } finally {
        crontab.clear();
      }
    },
  );
});

describe('the crontab line, installed twice', () => {
  it('runs twice at the same time without output, and files everything once', async () => {
    const at = join(folder, 'twice');
    mkdirSync(join(at, '.local/share/opencode'), { recursive: true });
    shim(
      join(at, '.local/bin'),
      'mempalace-session',
      `exec '${process.execPath}' '${root}bin/mempalace-session' "$@"`,
    );
    copyFileSync(
      join(root, 'test/fixtures/opencode/opencode-1.18.33.db'),
      join(at, '.local/share/opencode/opencode.db'),
    );
    const { command } = cronEntry(read(join(contrib, 'cron/mempalace-session.cron')));
    const line = () =>
      new Promise<string>((resolve, reject) => {
        const shell = spawn('/bin/sh', ['-c', command], { env: { HOME: at, PATH: '/usr/bin:/bin' } });
        let said = '';
        for (const stream of [shell.stdout, shell.stderr]) {
          stream.on('data', (data) => {
            said += String(data);
          });
        }
        shell.on('error', reject).on('close', () => resolve(said));
      });
    expect(await Promise.all([line(), line()])).toEqual(['', '']);
    const log = read(join(at, '.local/state/mempalace/mempalace-session.log'));
    const summaries = [...log.matchAll(/: (\d+) new, 0 changed, (\d+) unchanged/g)].map(([, added]) =>
      Number(added),
    );
    expect(summaries).toHaveLength(2);
    expect(Math.min(...summaries)).toBe(0);
    expect(Math.max(...summaries)).toBeGreaterThan(0);
  });
});

describe('the broker as a service', () => {
  const SERVICE = join(contrib, 'systemd/mempalace-broker.service');
  const PLIST = join(contrib, 'launchd/se.jordbo.mempalace-broker.plist');

  it('is started at login and after a failure, not after it was asked to end', () => {
    const { Unit, Service, Install } = unit(SERVICE);
    expect(Unit).toMatchObject({ StartLimitIntervalSec: '10min', StartLimitBurst: '5' });
    expect(Service).toMatchObject({
      Type: 'simple',
      Restart: 'on-failure',
      ExecStart: '%h/.local/bin/mempalace broker run --stay --quiet',
      UMask: '0077',
    });
    expect(Install).toEqual({ WantedBy: 'default.target' });
  });

  it.skipIf(!has('systemd-analyze'))('passes systemd-analyze (skipped without it)', () => {
    shim(join(home, '.local/bin'), 'mempalace', 'exit 0');
    const flags = ['verify', '--user', '--man=no', '--recursive-errors=yes', SERVICE];
    const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: folder };
    const check = run('systemd-analyze', flags, { env });
    expect([check.status, check.stderr]).toEqual([0, '']);
  });

  const filled = () => String(run('sed', ['s|USER|ada|g', PLIST]).stdout);

  it.skipIf(!has('plistutil'))('is a property list to plistutil (skipped without plistutil)', () => {
    const path = join(folder, 'broker.plist');
    writeFileSync(path, filled());
    const check = run('plistutil', ['-i', path, '-f', 'bin', '-o', '/dev/null']);
    expect([check.status, check.stderr]).toEqual([0, '']);
  });

  it.skipIf(!has('python3'))('has the expected values for launchd (skipped without python3)', () => {
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const values = JSON.parse(String(run('python3', ['-c', script], { input: filled() }).stdout));
    expect(values).toMatchObject({
      Label: 'se.jordbo.mempalace-broker',
      ProgramArguments: ['/Users/ada/.local/bin/mempalace', 'broker', 'run', '--stay', '--quiet'],
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      Umask: 0o077,
    });
  });
});
