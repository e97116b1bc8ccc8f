import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cronLines, launchdPlist, systemdUnit } from '../../src/schedule/templates.js';
import { BROKER, JOBS } from '../../src/schedule/types.js';
import { removeFolder } from '../support/cleanups.js';
import { has, run, shim } from '../support/tools.js';

const contrib = fileURLToPath(new URL('../../contrib', import.meta.url));

/** Everything that a shell, a unit, XML or a crontab reads as something else. */
const NASTY = `a b%c%%d&"e'f<g>$HOME\\h;i#j`;

let folder: string;
let home: string;
let bin: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'schedule-'));
  home = join(folder, 'home');
  bin = join(folder, NASTY, 'bin');
  mkdirSync(home);
  for (const job of JOBS) shim(bin, job, 'printf "%s|%s|%s" "$0" "$*" "$MEMPALACE_CONFIG"');
});
afterAll(() => removeFolder(folder));

const plain = () => ({ home, bin: join(home, '.local/bin'), node: '/usr/bin', environment: {} });
const nasty = () => ({
  ...plain(),
  bin,
  node: join(folder, NASTY),
  environment: { MEMPALACE_CONFIG: NASTY },
});

describe('a schedule for ~/.local/bin and a usual node', () => {
  it('is the template, as it is copied by hand', () => {
    const read = (path: string) => run('cat', [join(contrib, path)]).stdout;
    for (const job of JOBS) {
      expect(systemdUnit(plain(), job, 'service')).toBe(read(`systemd/${job}.service`));
      expect(systemdUnit(plain(), job, 'timer')).toBe(read(`systemd/${job}.timer`));
      expect(cronLines(plain(), job)).toBe(read(`cron/${job}.cron`));
    }
    expect(systemdUnit(plain(), BROKER, 'service')).toBe(read(`systemd/${BROKER}.service`));
    for (const service of [...JOBS, BROKER] as const) {
      const byHand = String(read(`launchd/se.jordbo.${service}.plist`)).replaceAll('USER', 'ada');
      const mac = { ...plain(), home: '/Users/ada', bin: '/Users/ada/.local/bin' };
      expect(launchdPlist(mac, service)).toBe(byHand);
    }
    const elsewhere = { ...plain(), bin: '/opt/bin' };
    expect(systemdUnit(elsewhere, BROKER, 'service')).toContain(
      'ExecStart=/opt/bin/mempalace broker run --stay --quiet\n',
    );
    expect(launchdPlist(elsewhere, BROKER)).toContain('<string>/opt/bin/mempalace</string>');
  });
});

describe('a folder with every character that means something', () => {
  it.skipIf(!has('systemd-analyze'))('is found by systemd (skipped without systemd-analyze)', () => {
    for (const job of JOBS) {
      const path = join(folder, `${job}.service`);
      const quiet = join(folder, NASTY.replace(/["'\\]/g, ''), 'bin');
      shim(quiet, job, 'exit 0');
      writeFileSync(path, systemdUnit({ ...nasty(), bin: quiet }, job, 'service'));
      const flags = ['verify', '--user', '--man=no', '--recursive-errors=yes', path];
      const env = { ...process.env, HOME: home, XDG_RUNTIME_DIR: folder };
      const check = run('systemd-analyze', flags, { env });
      // It would say that the command is not there, or not executable.
      expect([check.status, check.stderr]).toEqual([0, '']);
      writeFileSync(path, systemdUnit({ ...nasty(), bin: `${quiet}x` }, job, 'service'));
      expect(run('systemd-analyze', flags, { env }).stderr).toContain('is not executable');
      // systemd refuses a program with a quote in its path, but no argument.
      const unit = systemdUnit(nasty(), job, 'service');
      expect(unit).toMatch(/^ExecStart=\/usr\/bin\/env ".*\$\$HOME.*" --/m);
      writeFileSync(path, unit);
      const quoted = run('systemd-analyze', flags, { env });
      expect([quoted.status, quoted.stderr]).toEqual([0, '']);
    }
  });

  it.skipIf(!has('python3'))('is what launchd reads (skipped without python3)', () => {
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    for (const job of JOBS) {
      const parsed = JSON.parse(
        String(run('python3', ['-c', script], { input: launchdPlist(nasty(), job) }).stdout),
      );
      expect(parsed.ProgramArguments[0]).toBe(join(bin, job));
      expect(parsed.EnvironmentVariables.MEMPALACE_CONFIG).toBe(NASTY);
      expect(parsed.EnvironmentVariables.PATH.startsWith(`${join(folder, NASTY)}:${home}/.local/bin:`)).toBe(
        true,
      );
    }
  });

  it('is run by cron’s shell, where a percent sign is escaped', () => {
    for (const job of JOBS) {
      const entry = cronLines(nasty(), job).split('\n').at(-2) ?? '';
      const command = entry.replace(/^(?:\S+\s+){5}/, '');
      expect(command.replaceAll('\\%', '')).not.toContain('%');
      // As cron does before it hands the command to the shell; what it says is shown here even without a failure.
      const shell = command.replaceAll('\\%', '%').replace('|| [ $? -eq 11 ] || echo', '; echo');
      const ran = run('/bin/sh', ['-c', shell], { env: { HOME: home, PATH: '/usr/bin:/bin' } });
      expect([ran.stderr, ran.stdout]).toEqual(['', expect.stringContaining(`${join(bin, job)}|`)]);
      expect(String(ran.stdout).trimEnd().endsWith(`|${NASTY}`)).toBe(true);
    }
  });

  it('with a line break is refused', () => {
    const broken = { ...plain(), bin: '/a\nb' };
    for (const make of [
      () => systemdUnit(broken, 'mempalace-docs', 'service'),
      () => cronLines(broken, 'mempalace-docs'),
      () => launchdPlist(broken, 'mempalace-docs'),
    ]) {
      expect(make).toThrow('cannot be part of a schedule');
    }
  });
});
