import { type SpawnSyncOptions, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const contrib = fileURLToPath(new URL('../../contrib/', import.meta.url));
const SERVICE = join(contrib, 'systemd/mempalace-session.service');
const TIMER = join(contrib, 'systemd/mempalace-session.timer');
const PLIST = join(contrib, 'launchd/se.jordbo.mempalace-session.plist');
const CRON = join(contrib, 'cron/mempalace-session.cron');
const read = (path: string) => readFileSync(path, 'utf8');
const run = (tool: string, args: string[], options: SpawnSyncOptions = {}) =>
  spawnSync(tool, args, { ...options, encoding: 'utf8' });
const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;
const hasCrontabCheck = has('crontab') && /\s-n\b/.test(run('crontab', ['-h']).stderr);

/** The recipe of contrib/README.md: fill in the user's name. */
const forUser = (text: string, user: string) => text.replaceAll('USER', user);

/** `Key=value` lines of a unit, by section; comments left out. */
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
      current[key] = value;
    }
  }
  return sections;
}

/** The command of the one entry of the crontab, as cron hands it to the shell. */
function cronCommand(): { schedule: string; command: string } {
  const entries = read(CRON)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(entries).toHaveLength(1);
  const [, schedule, command] = /^((?:\S+\s+){5})(.*)$/.exec(entries[0] ?? '') ?? [];
  return { schedule: schedule?.trim() ?? '', command: command ?? '' };
}

let folder: string;
let home: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'contrib-'));
  home = join(folder, 'home of someone');
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  const launcher = join(home, '.local/bin/mempalace-session');
  writeFileSync(launcher, '#!/bin/sh\necho "ran $*"\necho "$PATH" >&2\n');
  chmodSync(launcher, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('systemd', () => {
  it('runs the weekly command at low priority and forgives exit codes 3 and 11', () => {
    const service = unit(SERVICE).Service;
    expect(service).toMatchObject({
      Type: 'oneshot',
      ExecStart: '%h/.local/bin/mempalace-session --since --quiet',
      SuccessExitStatus: '3 11',
      IOSchedulingClass: 'idle',
      Nice: '19',
    });
  });

  it('fires weekly, catches up, and spreads the start', () => {
    const { Timer, Install } = unit(TIMER);
    expect(Timer?.OnCalendar).toMatch(/^Sun /);
    expect(Timer).toMatchObject({ Persistent: 'true', RandomizedDelaySec: '1h' });
    expect(Install).toEqual({ WantedBy: 'timers.target' });
  });

  it.skipIf(!has('systemd-analyze'))('passes systemd-analyze verify (skipped without systemd)', () => {
    for (const path of [SERVICE, TIMER]) {
      const flags = ['verify', '--user', '--man=no', '--recursive-errors=yes', path];
      const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: folder };
      const check = run('systemd-analyze', flags, { env });
      expect([check.status, check.stderr]).toEqual([0, '']);
    }
  });
});

describe('launchd', () => {
  it('names the user in every path and leaves no placeholder behind', () => {
    const filled = forUser(read(PLIST), 'ada');
    expect(filled).not.toContain('USER');
    expect(filled).toContain('<string>/Users/ada/.local/bin/mempalace-session</string>');
    expect(filled).toContain('<string>/Users/ada/Library/Logs/mempalace-session.log</string>');
  });

  it.skipIf(!has('plistutil'))('is a property list to plistutil (skipped without plistutil)', () => {
    const path = join(folder, 'filled.plist');
    writeFileSync(path, forUser(read(PLIST), 'ada'));
    const check = run('plistutil', ['-i', path, '-f', 'bin', '-o', '/dev/null']);
    expect([check.status, check.stderr]).toEqual([0, '']);
  });

  it.skipIf(!has('python3'))('has the values it should have (skipped without python3)', () => {
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    const run = spawnSync('python3', ['-c', script], {
      input: forUser(read(PLIST), 'ada'),
      encoding: 'utf8',
    });
    expect(JSON.parse(run.stdout)).toMatchObject({
      Label: 'se.jordbo.mempalace-session',
      ProgramArguments: ['/Users/ada/.local/bin/mempalace-session', '--since', '--quiet'],
      StartCalendarInterval: { Weekday: 0, Hour: 3, Minute: 30 },
      ProcessType: 'Background',
      LowPriorityIO: true,
    });
  });
});

describe('cron', () => {
  it('runs weekly, with node on its PATH, from a home with spaces, without cron’s environment', () => {
    const { schedule, command } = cronCommand();
    expect(schedule).toBe('30 3 * * 0');
    const env = { HOME: home, PATH: '/usr/bin:/bin' };
    const started = run('/bin/sh', ['-c', command], { env });
    expect(started.stdout).toBe('ran --since --quiet\n');
    expect(started.stderr.trim().split(':')).toEqual(
      expect.arrayContaining([
        `${home}/.local/bin`,
        '/opt/homebrew/bin',
        '/usr/local/bin',
        '/usr/bin',
        '/bin',
      ]),
    );
  });

  it('has no percent sign, which cron would read as a newline, and ends in a newline', () => {
    expect(cronCommand().command).not.toContain('%');
    expect(read(CRON).endsWith('\n')).toBe(true);
  });

  it('leaves with one grep: every line names the command', () => {
    const lines = forUser(read(CRON), 'ada').trimEnd().split('\n');
    expect(lines.filter((line) => !line.includes('mempalace-session'))).toEqual([]);
  });

  it.skipIf(!hasCrontabCheck)('passes crontab -n (skipped without a crontab that can check)', () => {
    const path = join(folder, 'crontab');
    writeFileSync(path, forUser(read(CRON), 'ada'));
    expect(run('crontab', ['-n', path]).status).toBe(0);
  });
});

describe('contrib/README.md', () => {
  it('tells for each of the three how to install, verify and uninstall', () => {
    const sections = read(join(contrib, 'README.md')).split(/^## /m);
    for (const name of ['systemd', 'launchd', 'cron']) {
      const text = sections.find((section) => section.startsWith(name));
      expect(text, name).toMatch(/```sh[\s\S]*Verify[\s\S]*```sh[\s\S]*Uninstall[\s\S]*```sh/);
    }
  });
});
