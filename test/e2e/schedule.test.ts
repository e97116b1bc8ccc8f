import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { withBroker } from '../support/broker.js';
import { served } from '../support/served.js';
import { type Outcome, TestEnv } from '../support/test-env.js';
import { sandboxedCrontab, shim } from '../support/tools.js';

const contrib = fileURLToPath(new URL('../../contrib/', import.meta.url));
const template = (path: string) => readFileSync(join(contrib, path), 'utf8');

/** The lines of cron for this machine's node. */
function cronLines(): string {
  const node = dirname(process.execPath);
  const known = ['/usr/local/bin', '/usr/bin', '/bin', '/opt/homebrew/bin'].includes(node);
  return template('cron/mempalace-session.cron').replace('PATH="', known ? 'PATH="' : `PATH=${node}:"`);
}

/** A machine with the fake schedulers that a test provides. */
class Machine extends TestEnv {
  readonly shims = join(this.home, '..', 'shims');
  readonly state = join(this.home, '..', 'state');

  constructor() {
    super();
    mkdirSync(this.state);
    for (const job of ['mempalace-session', 'mempalace-docs'])
      shim(join(this.home, '.local/bin'), job, 'exit 0');
    // Only the given schedulers exist; the real ones of this machine are not touched.
    for (const name of ['systemctl', 'launchctl', 'crontab', 'loginctl']) shim(this.shims, name, 'exit 127');
    this.env.PATH = `${this.shims}:${this.env.PATH}`;
  }

  /** Answers as systemd 252 does, and records its commands in files and in a list. */
  withSystemd(linger = 'yes'): this {
    shim(
      this.shims,
      'systemctl',
      `S='${this.state}'; shift 2
echo "$*" >> "$S/systemctl"
case $1 in
  enable|restart) for last; do :; done; : > "$S/$last" ;;
  disable) for last; do :; done; rm -f "$S/$last" ;;
  is-enabled|is-active) [ -e "$S/$2" ] ;;
  show) case $2 in
    --property=Version) echo Version=252 ;;
    *.timer) if [ -e "$S/$2" ]; then
      printf 'ActiveState=active\\nUnitFileState=enabled\\nNextElapseUSecRealtime=Sun 2026-11-29 03:44:12 UTC\\nLastTriggerUSec=Sun 2026-11-22 03:31:00 UTC\\n'
      else printf 'ActiveState=inactive\\nUnitFileState=\\nNextElapseUSecRealtime=\\nLastTriggerUSec=n/a\\n'; fi ;;
    *.service) printf 'Result=success\\nExecMainStatus=3\\n' ;;
  esac ;;
esac`,
    );
    shim(this.shims, 'loginctl', `echo Linger=${linger}`);
    return this;
  }

  withLaunchd(): this {
    shim(
      this.shims,
      'launchctl',
      `S='${this.state}'; name=\${2##*/}
echo "$*" >> "$S/launchctl"
case $1 in
  bootstrap) name=\${3##*/}; : > "$S/\${name%.plist}" ;;
  bootout) rm "$S/$name" ;;
  print) case $name in se.*) [ -e "$S/$name" ] && printf '\\tstate = not running\\n\\tlast exit code = 0\\n' ;; esac ;;
esac`,
    );
    return this;
  }

  /** A crontab stored in a file. */
  withCron(): this {
    shim(
      this.shims,
      'crontab',
      `F='${this.state}/crontab'
case $1 in
  -l) [ -e "$F" ] && exec cat "$F"; echo "no crontab for ada" >&2; exit 1 ;;
  -r) exec rm "$F" ;;
  -) exec cat > "$F" ;;
esac`,
    );
    return this;
  }

  schedule(...args: string[]): Promise<Outcome> {
    return this.run('mempalace', ['schedule', ...args]);
  }

  async list(): Promise<void> {
    const shop = this.project('shop', { 'README.md': '# Shop\n' });
    expect((await this.run('mempalace', ['projects', 'add', shop])).exitCode).toBe(0);
  }

  told(program: string): string[] {
    return readFileSync(join(this.state, program), 'utf8')
      .split('\n')
      .filter((line) => /^(?:enable|restart|disable|daemon-reload|bootstrap|bootout)/.test(line));
  }
}

describe('mempalace schedule with systemd (systemctl is a fake)', () => {
  it('installs, changes nothing the second time, reports its state, and is removed completely', async () => {
    const machine = new Machine().withSystemd();
    const before = machine.fingerprint();
    const dry = await machine.schedule('install', '--dry-run');
    expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('would be written')]);
    expect(machine.fingerprint()).toBe(before);
    const first = await machine.schedule('install');
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toContain('lists no project');
    expect(first.stdout).toContain('mempalace-session runs next 2026-11-29 03:44 UTC');
    const units = join(machine.home, '.config/systemd/user');
    expect(readdirSync(units).sort()).toEqual(['mempalace-session.service', 'mempalace-session.timer']);
    expect(readFileSync(join(units, 'mempalace-session.timer'), 'utf8')).toBe(
      template('systemd/mempalace-session.timer'),
    );
    expect(machine.told('systemctl')).toEqual([
      'daemon-reload',
      'enable mempalace-session.timer',
      'restart mempalace-session.timer',
    ]);
    const second = await machine.schedule('install');
    expect(second.stdout).not.toMatch(/written|replaced|started/);
    expect(machine.told('systemctl')).toHaveLength(3);
    // The document of an installation does not contain the next runs.
    const asked = () =>
      readFileSync(join(machine.state, 'systemctl'), 'utf8').split(/show mempalace-/).length;
    const shown = asked();
    expect((await machine.schedule('install', '--json')).exitCode).toBe(0);
    expect([shown > 1, asked()]).toEqual([true, shown]);
    const status = await machine.schedule();
    expect(status.stdout).toContain(
      'next run 2026-11-29 03:44 UTC, last started 2026-11-22 03:31 UTC (success, exit 3)',
    );
    const stamp = join(machine.home, '.local/share/systemd/timers/stamp-mempalace-session.timer');
    mkdirSync(join(stamp, '..'), { recursive: true });
    writeFileSync(stamp, '');
    expect((await machine.schedule('remove')).exitCode).toBe(0);
    expect(machine.told('systemctl').slice(3)).toEqual([
      'disable --now mempalace-session.timer',
      'daemon-reload',
    ]);
    expect([readdirSync(units), existsSync(stamp)]).toEqual([[], false]);
    expect((await machine.schedule('remove')).stdout).toContain('no schedule is installed');
  });

  it('includes documents if projects are listed, or on request', async () => {
    const machine = new Machine().withSystemd();
    expect((await machine.schedule()).stdout).toContain(
      'not scheduled: mempalace projects add <dir>, then mempalace schedule install',
    );
    await machine.list();
    await machine.schedule('install');
    expect(readdirSync(join(machine.home, '.config/systemd/user'))).toHaveLength(4);
    const other = new Machine().withSystemd();
    await other.schedule('install', '--only', 'docs');
    expect(readdirSync(join(other.home, '.config/systemd/user'))).toEqual([
      'mempalace-docs.service',
      'mempalace-docs.timer',
    ]);
  });

  it('does not change files of other programs, and reports them', async () => {
    const machine = new Machine().withSystemd();
    const theirs = join(machine.home, '.config/systemd/user/mempalace-session.service');
    mkdirSync(join(theirs, '..'), { recursive: true });
    writeFileSync(theirs, '[Service]\nExecStart=/bin/true\n');
    const installed = await machine.schedule('install');
    expect([installed.exitCode, installed.stderr]).toEqual([
      3,
      expect.stringContaining('it belongs to another program'),
    ]);
    await machine.schedule('remove');
    expect(readFileSync(theirs, 'utf8')).toContain('/bin/true');
    expect(machine.told('systemctl').join()).not.toContain('enable');
  });

  it('passes on the paths of palace, opencode and programs, and the shell’s variables', async () => {
    const machine = new Machine().withSystemd();
    const bin = join(machine.home, 'with space');
    for (const job of ['mempalace-session', 'mempalace-docs']) shim(bin, job, 'exit 0');
    machine.env.OPENCODE_DB = '/data/100%/opencode.db';
    machine.env.OPENAI_API_KEY = 'sk-not-for-files';
    await machine.schedule('install', '--bin', bin, '--palace', join(machine.home, 'palace'));
    const unit = readFileSync(join(machine.home, '.config/systemd/user/mempalace-session.service'), 'utf8');
    expect(unit).toContain(`ExecStart="${bin}/mempalace-session" --since --quiet `);
    expect(unit).toContain('Environment=OPENCODE_DB=/data/100%%/opencode.db\n');
    expect(unit).toContain(`Environment=MEMPALACE_PALACE_PATH=${machine.home}/palace\n`);
    expect(unit).not.toContain('sk-not');
  });

  it('says what to do if the manager is not reachable, or ends with the session', async () => {
    const machine = new Machine();
    shim(machine.shims, 'systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1');
    const failed = await machine.schedule('install', '--with', 'systemd');
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/No medium found\n {2}hint: .*XDG_RUNTIME_DIR.*--with cron/);
    expect(existsSync(join(machine.home, '.config/systemd'))).toBe(false);
    const nothing = await machine.schedule('install');
    expect([nothing.exitCode, nothing.stderr]).toEqual([
      1,
      expect.stringContaining('no scheduler can be used on this machine'),
    ]);
    const brief = await new Machine().withSystemd('no').schedule('install');
    expect(brief.stdout).toContain('loginctl enable-linger');
  });
});

describe('mempalace schedule with launchd (launchctl is a fake)', () => {
  it('installs, changes nothing the second time, reloads changes, and is removed', async () => {
    const machine = new Machine().withLaunchd();
    const { exitCode, stderr } = await machine.schedule('install');
    expect([exitCode, stderr]).toEqual([0, '']);
    const plist = join(machine.home, 'Library/LaunchAgents/se.jordbo.mempalace-session.plist');
    expect(readFileSync(plist, 'utf8')).toContain(
      `<string>${machine.home}/.local/bin/mempalace-session</string>`,
    );
    const label = `gui/${process.getuid?.()}/se.jordbo.mempalace-session`;
    const load = `bootstrap gui/${process.getuid?.()} ${plist}`;
    expect(machine.told('launchctl')).toEqual([`enable ${label}`, load]);
    await machine.schedule('install');
    expect(machine.told('launchctl')).toHaveLength(2);
    expect((await machine.schedule()).stdout).toMatch(/launchd {2}next run \d{4}-.* \(exit 0\)/);
    writeFileSync(plist, readFileSync(plist, 'utf8').replace('30m', '31m'));
    await machine.schedule('install');
    expect(machine.told('launchctl').slice(2)).toEqual([`bootout ${label}`, `enable ${label}`, load]);
    await machine.schedule('remove');
    expect([existsSync(plist), machine.told('launchctl').at(-1)]).toEqual([false, `bootout ${label}`]);
  });
});

describe('mempalace schedule with cron', () => {
  it('adds its lines to a crontab, merges duplicates, and removes them (crontab is a fake)', async () => {
    const machine = new Machine().withCron();
    const file = join(machine.state, 'crontab');
    const theirs = 'MAILTO=ada\n5 4 * * * backup\n';
    writeFileSync(file, theirs);
    expect((await machine.schedule('install')).stdout).toContain('written');
    const lines = cronLines();
    expect(readFileSync(file, 'utf8')).toBe(theirs + lines);
    expect((await machine.schedule('install')).stdout).toContain('unchanged');
    writeFileSync(file, lines + theirs + lines);
    expect((await machine.schedule()).stdout).toContain('2 lines that run it (harmless');
    expect((await machine.schedule('install')).stdout).toContain('there were 2 lines');
    expect(readFileSync(file, 'utf8')).toBe(theirs + lines);
    await machine.schedule('remove');
    expect(readFileSync(file, 'utf8')).toBe(theirs);
  });

  it('warns if systemd runs it too', async () => {
    const machine = new Machine().withCron().withSystemd();
    await machine.schedule('install');
    await machine.schedule('install', '--with', 'cron');
    expect((await machine.schedule()).stdout).toContain(
      'systemd runs it too: mempalace schedule remove --with systemd',
    );
  });

  const crontab = sandboxedCrontab('irc');
  it.skipIf(crontab === undefined)('works with the real crontab (skipped unless root has one)', async () => {
    if (crontab === undefined) return;
    const machine = new Machine();
    shim(machine.shims, 'crontab', crontab.script);
    try {
      expect((await machine.schedule('install')).exitCode).toBe(0);
      expect(crontab.text()).toContain(cronLines());
      expect((await machine.schedule()).stdout).toMatch(/cron {5}next run \d{4}-\d{2}-\d{2}/);
      await machine.schedule('remove');
      expect(crontab.text()).toBe('');
    } finally {
      crontab.clear();
    }
  });
});

describe('mempalace status', () => {
  it('reports a schedule without success for 14 days', async () => {
    const machine = new Machine().withSystemd();
    const shop = machine.project('shop', { 'README.md': '# Shop\n' });
    await machine.run('mempalace-docs', [shop]);
    await machine.schedule('install', '--only', 'session');
    expect((await machine.json('mempalace', ['status'])).stale).toEqual([]);
    const old = new Date(Date.now() - 20 * 86_400_000);
    utimesSync(join(machine.home, '.config/systemd/user/mempalace-session.timer'), old, old);
    expect((await machine.json('mempalace', ['status'])).stale).toMatchObject([
      { command: 'mempalace-session', schedulers: ['systemd'], last_done: null, days: 20 },
    ]);
    expect((await machine.run('mempalace', ['status'])).stdout).toContain(
      'notice: mempalace-session has never finished, although systemd should run it weekly',
    );
  });
});

describe('mempalace broker install', () => {
  const unit = 'mempalace-broker.service';

  it('with systemd (a fake): starts the broker at login, once, and is removed completely', async () => {
    const machine = new Machine().withSystemd();
    const before = machine.fingerprint();
    const dry = await machine.run('mempalace', ['broker', 'install', '--dry-run']);
    expect([dry.exitCode, dry.stdout]).toEqual([0, expect.stringContaining('would be written')]);
    expect(machine.fingerprint()).toBe(before);
    const first = await machine.run('mempalace', ['broker', 'install']);
    expect([first.exitCode, first.stderr]).toEqual([0, '']);
    const units = join(machine.home, '.config/systemd/user');
    expect(readdirSync(units)).toEqual([unit]);
    const started = ['daemon-reload', `enable ${unit}`, `restart ${unit}`];
    expect(machine.told('systemctl')).toEqual(started);
    const second = await machine.json('mempalace', ['broker', 'install']);
    expect((second.steps as { done: string }[]).map(({ done }) => done)).toEqual(['unchanged', 'unchanged']);
    expect(machine.told('systemctl')).toEqual(started);
    // The weekly runs are another matter.
    expect((await machine.schedule('remove')).stdout).toContain('no schedule is installed');
    expect((await machine.run('mempalace', ['broker', 'remove'])).exitCode).toBe(0);
    expect(machine.told('systemctl').slice(3)).toEqual([`disable --now ${unit}`, 'daemon-reload']);
    expect(readdirSync(units)).toEqual([]);
    expect((await machine.run('mempalace', ['broker', 'remove'])).stdout).toContain('not installed');
  });

  it('the first service ends the broker of an agent, a second installation none, and none ends a named one', async () => {
    const machine = new Machine().withSystemd();
    withBroker(machine);
    await machine.json('mempalace', ['diary', 'write', '--agent', 'tester', 'Begun.']);
    const socket = String((await machine.json('mempalace', ['broker', 'ensure'])).socket);
    const isRunning = async () => (await machine.json('mempalace', ['broker', 'status'])).running;
    machine.env.MEMPALACE_BROKER = socket;
    expect(
      (await machine.run('mempalace', ['broker', 'install', '--palace', join(machine.home, 'other')]))
        .exitCode,
    ).toBe(0);
    expect(await isRunning()).toBe(true);
    machine.env.MEMPALACE_BROKER = 'auto';
    expect((await machine.run('mempalace', ['broker', 'install'])).exitCode).toBe(0);
    expect(await isRunning()).toBe(false);
    // As the service would, which the fake does not start.
    await machine.run('mempalace', ['broker', 'ensure']);
    expect((await machine.run('mempalace', ['broker', 'install'])).stdout).toContain('unchanged');
    expect(await isRunning()).toBe(true);
  });

  it('does not end mempalace serve', async () => {
    const machine = new Machine().withSystemd();
    withBroker(machine);
    await machine.json('mempalace', ['diary', 'write', '--agent', 'tester', 'Begun.']);
    const { url } = await served(machine);
    const refused = await machine.run('mempalace', ['broker', 'install']);
    expect([refused.exitCode, refused.stderr]).toEqual([11, expect.stringContaining(`on ${url}`)]);
    expect(existsSync(join(machine.home, '.config/systemd/user', unit))).toBe(false);
    expect(await machine.json('mempalace', ['broker', 'status'])).toMatchObject({ http: url });
  });

  it('with launchd (a fake): loads the agent, and removes it', async () => {
    const machine = new Machine().withLaunchd();
    expect((await machine.run('mempalace', ['broker', 'install'])).exitCode).toBe(0);
    const agent = join(machine.home, 'Library/LaunchAgents/se.jordbo.mempalace-broker.plist');
    expect(readFileSync(agent, 'utf8')).toContain(`<string>${machine.home}/.local/bin/mempalace</string>`);
    expect(machine.told('launchctl').map((line) => line.split(' ')[0])).toEqual(['enable', 'bootstrap']);
    expect((await machine.run('mempalace', ['broker', 'remove'])).exitCode).toBe(0);
    expect(existsSync(agent)).toBe(false);
  });

  it('without a manager says that nothing has to be installed, and keeps a foreign file', async () => {
    const machine = new Machine();
    const without = await machine.run('mempalace', ['broker', 'install']);
    expect([without.exitCode, without.stderr]).toEqual([
      1,
      expect.stringContaining('agents start the broker'),
    ]);
    const named = await machine.run('mempalace', ['broker', 'install', '--with', 'systemd']);
    expect(named.stderr).toContain('agents start the broker');
    expect(named.stderr).not.toContain('cron');
    const file = join(machine.withSystemd().home, '.config/systemd/user', unit);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, '[Service]\nExecStart=/bin/true\n');
    const foreign = await machine.run('mempalace', ['broker', 'install']);
    expect([foreign.exitCode, foreign.stderr]).toEqual([3, expect.stringContaining('another program')]);
    expect(readFileSync(file, 'utf8')).toContain('/bin/true');
  });
});
