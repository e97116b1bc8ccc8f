import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckout, has, runTool } from './checkout.js';

/** A crontab stored in a file. */
const CRONTAB = `#!/bin/sh
case $1 in
-l) if [ -f "$CRONTAB" ]; then cat "$CRONTAB"; else echo "no crontab" >&2; exit 1; fi ;;
-r) rm "$CRONTAB" ;;
-) cat > "$CRONTAB" ;;
esac
`;
const noting = (tool: string) => `#!/bin/sh\necho "${tool} $*" >> "$FEEDER_CALLS"\n`;

const OURS = `# mempalace-session: file new opencode sessions, Sundays at 3:30.
30 3 * * 0 PATH="/usr/bin:/bin" nice -n 19 "$HOME/.local/bin/mempalace-session" --since --quiet
`;
const OTHERS = `# backup of mempalace-session, by me
5 4 * * * $HOME/bin/save mempalace-session mempalace-docs
`;

let checkout: ReturnType<typeof createCheckout>;
let env: Record<string, string>;
beforeEach(() => {
  checkout = createCheckout();
  checkout.quickNode();
  checkout.replace('crontab', CRONTAB);
  for (const tool of ['systemctl', 'launchctl']) checkout.replace(tool, noting(tool));
  env = { CRONTAB: join(checkout.base, 'crontab') };
});
afterEach(() => checkout.remove());

const home = (...parts: string[]) => join(checkout.home, ...parts);
function write(path: string, text = '') {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
const unitsOf = () =>
  ['mempalace-session', 'mempalace-docs'].flatMap((name) => [
    home('.config/systemd/user', `${name}.timer`),
    home('.config/systemd/user', `${name}.service`),
  ]);

describe('--schedule', () => {
  it('does not ask or create a schedule without a terminal', () => {
    const run = checkout.run([], env);
    expect(run.stdout).toContain('skipped    weekly runs: not requested');
    expect(checkout.calls()).toEqual(['mempalace doctor']);
  });

  it.each(['systemd', 'launchd', 'cron'])('%s is made by the program, before its doctor runs', (way) => {
    const run = checkout.run(['--schedule', way], env);
    expect([run.code, run.stdout]).toEqual([
      0,
      expect.stringContaining(`scheduled  weekly runs, with ${way}`),
    ]);
    expect(checkout.calls()).toEqual([
      `mempalace schedule install --with ${way} --bin ${checkout.bin}`,
      'mempalace doctor',
    ]);
  });

  it('that cannot be made exits with 3', () => {
    const run = checkout.run(['--schedule=systemd'], { ...env, SCHEDULE_EXIT: '1' });
    expect([run.code, run.stderr]).toEqual([
      3,
      expect.stringContaining('weekly runs with systemd: see above'),
    ]);
  });

  it('none keeps an existing schedule', () => {
    for (const unit of unitsOf()) write(unit);
    const run = checkout.run(['--schedule', 'none'], env);
    expect(run.stdout).toContain('unchanged  weekly runs, with systemd');
    expect(unitsOf().every(existsSync)).toBe(true);
  });
});

describe('uninstalling removes schedules first, even without the program', () => {
  beforeEach(() => checkout.run([], env));

  it('systemd', () => {
    for (const unit of unitsOf()) write(unit);
    write(home('.config/systemd/user/other.timer'));
    // The last run of a persistent timer, as systemd stores it.
    const stamp = home('.local/share/systemd/timers/stamp-mempalace-session.timer');
    write(stamp);
    checkout.forget();
    const run = checkout.run(['--uninstall'], env);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout.split('\n')[0]).toBe('removed    weekly runs, with systemd');
    expect([...unitsOf(), stamp].some(existsSync)).toBe(false);
    expect(existsSync(home('.config/systemd/user/other.timer'))).toBe(true);
    expect(checkout.calls()).toEqual([
      'mempalace schedule remove',
      'systemctl --user disable --now mempalace-session.timer',
      'systemctl --user disable --now mempalace-docs.timer',
      'systemctl --user daemon-reload',
      'mempalace setup --undo --yes',
      'mempalace mcp remove',
      'mempalace broker stop --quiet',
    ]);
  });

  it('launchd', () => {
    const agent = home('Library/LaunchAgents/se.jordbo.mempalace-session.plist');
    write(agent);
    expect(checkout.run(['--uninstall'], env).stdout).toContain('removed    weekly runs, with launchd');
    expect(existsSync(agent)).toBe(false);
    expect(checkout.calls().at(-4)).toMatch(/^launchctl bootout gui\/\d+\/se\.jordbo\.mempalace-session$/);
  });

  it('the service of the broker', () => {
    const own = [
      home('.config/systemd/user/mempalace-broker.service'),
      home('Library/LaunchAgents/se.jordbo.mempalace-broker.plist'),
    ];
    for (const file of own) write(file);
    checkout.forget();
    const dry = checkout.run(['--uninstall', '--dry-run'], env);
    expect(dry.stdout).toContain('would be removed: the service of the broker');
    expect(own.every(existsSync)).toBe(true);
    expect(checkout.run(['--uninstall'], env).stdout).toContain('removed    the service of the broker');
    expect(own.some(existsSync)).toBe(false);
    const calls = checkout.calls();
    expect(calls).toContain('systemctl --user disable --now mempalace-broker.service');
    expect(calls.join('\n')).toMatch(/^launchctl bootout gui\/\d+\/se\.jordbo\.mempalace-broker$/m);
  });

  it('cron: every copy of our lines, and no others', () => {
    writeFileSync(env.CRONTAB ?? '', `${OURS}${OTHERS}${OURS}`);
    expect(checkout.run(['--uninstall'], env).stdout).toContain('removed    weekly runs, with cron');
    expect(readFileSync(env.CRONTAB ?? '', 'utf8')).toBe(OTHERS);
    writeFileSync(env.CRONTAB ?? '', OURS);
    checkout.run(['--uninstall'], env);
    expect(existsSync(env.CRONTAB ?? '')).toBe(false);
  });

  it('knows the lines of contrib/cron', () => {
    const folder = new URL('../../contrib/cron/', import.meta.url);
    const text = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
    expect(text).toHaveLength(2);
    writeFileSync(env.CRONTAB ?? '', text.join('').replaceAll('USER', 'ada'));
    expect(checkout.run(['--uninstall'], env).code).toBe(0);
    expect(existsSync(env.CRONTAB ?? '')).toBe(false);
  });
});

/** Types answers in a terminal. */
function atTerminal(args: string, typed: string) {
  const command = `printf '${typed}' | script -qec "'${checkout.root}/install.sh' ${args}" /dev/null`;
  const environment = {
    ...env,
    HOME: checkout.home,
    PATH: checkout.tools,
    FEEDER_CALLS: join(checkout.base, 'feeder-calls'),
    NPM_CALLS: join(checkout.base, 'npm-calls'),
    SHELL: '/bin/sh',
  };
  const script = runTool('sh', ['-c', 'command -v script']).stdout.trim();
  return runTool('/bin/sh', ['-c', command.replace('script', script)], { env: environment });
}

describe.skipIf(!has('script') || process.platform !== 'linux')(
  'at a terminal (skipped without util-linux’s script)',
  () => {
    it('sets up the agents, then asks for a schedule, at the end; the usual answer is yes', () => {
      const asked = (typed: string) => {
        checkout.forget();
        const { stdout } = atTerminal('', typed);
        const ours = checkout.calls().filter((call) => / (?:doctor|setup|schedule install)/.test(call));
        expect(stdout).toContain(`Next:\r\n  "${checkout.bin}/mempalace" search "a question"  find`);
        return { ours, asks: stdout.includes('every week? [Y/n]') };
      };
      const first = ['mempalace doctor', 'mempalace setup --only mcp,hooks,skill,history'];
      const installs = `mempalace schedule install --bin ${checkout.bin}`;
      for (const typed of ['n\\n', '\\004']) expect(asked(typed)).toEqual({ asks: true, ours: first });
      expect(asked('\\n')).toEqual({ asks: true, ours: [...first, installs] });
      writeFileSync(env.CRONTAB ?? '', OURS);
      expect(asked('\\n')).toEqual({ asks: false, ours: first });
    });

    it('--purge asks; only the whole word deletes', () => {
      const palace = home('.mempalace/palace/palace.sqlite3');
      checkout.run([], env);
      write(palace);
      expect(atTerminal('--uninstall --purge', 'y\\n').stdout).toContain('Nothing was changed.');
      expect([existsSync(palace), existsSync(join(checkout.bin, 'mempalace'))]).toEqual([true, true]);
      atTerminal('--uninstall --purge', 'yes\\n');
      expect([existsSync(palace), existsSync(join(checkout.bin, 'mempalace'))]).toEqual([false, false]);
      rmSync(checkout.home, { recursive: true });
    });
  },
);
