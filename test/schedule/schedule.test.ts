import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dayOf } from '../../src/core/day.js';
import { entriesOf, withOurs, withoutOurs } from '../../src/schedule/crontab.js';
import { binFolder, JOBS, type ScheduleStatus, staleFeeders } from '../../src/schedule/index.js';
import { momentOf } from '../../src/schedule/systemd.js';
import { nextWeekly, weeklyOf } from '../../src/schedule/weekly.js';
import { temporaryFolder } from '../support/palace.js';
import { shim } from '../support/tools.js';

const LINES = readFileSync(new URL('../../contrib/cron/mempalace-session.cron', import.meta.url), 'utf8');
const OTHERS = 'MAILTO=me\n# mine\n5 4 * * * backup --all\n@weekly mempalace-sessions\n';
const EARLIER =
  '# mempalace-session: file new opencode sessions.\n30 3 * * 0 PATH="$HOME/.local/bin:$HOME/.volta/bin:/bin" nice -n 19 "$HOME/.local/bin/mempalace-session" --since --quiet\n';

describe('our lines in a crontab', () => {
  it('come and go, and leave everybody else’s as they were', () => {
    const once = withOurs(OTHERS, LINES, 'mempalace-session');
    expect(once).toBe(OTHERS + LINES);
    expect(withOurs(once, LINES, 'mempalace-session')).toBe(once);
    expect(withOurs(LINES + OTHERS, LINES, 'mempalace-session')).toBe(LINES + OTHERS);
    expect(withoutOurs(once, 'mempalace-session')).toBe(OTHERS);
    expect(withoutOurs(once, 'mempalace-docs')).toBe(once);
  });

  it('become one when they were doubled, also those of earlier versions', () => {
    const doubled = LINES + OTHERS + EARLIER + LINES;
    expect(entriesOf(doubled, 'mempalace-session')).toHaveLength(3);
    expect(withOurs(doubled, LINES, 'mempalace-session')).toBe(OTHERS + LINES);
  });

  it('are distinguished from the user’s own lines, which count and stay', () => {
    const theirs =
      '0 5 * * 1 /opt/bin/mempalace-session --db /x\n@daily mempalace-session\n#0 1 * * * mempalace-session\n';
    expect(entriesOf(theirs, 'mempalace-session').map(({ schedule }) => schedule)).toEqual([
      '0 5 * * 1',
      '@daily',
    ]);
    expect(withoutOurs(theirs + LINES, 'mempalace-session')).toBe(theirs);
  });

  it('are recognized when the last line has no line feed', () => {
    expect(withOurs('5 4 * * * x', LINES, 'mempalace-session')).toBe(`5 4 * * * x\n${LINES}`);
  });
});

describe('the folder of the programs', () => {
  it('is that of the one that runs, else ~/.local/bin, else the package', () => {
    const home = temporaryFolder();
    const own = fileURLToPath(new URL('../../bin', import.meta.url));
    expect(binFolder(home, join(own, 'mempalace'))).toBe(own);
    for (const job of JOBS) shim(join(home, '.local/bin'), job, 'exit 0');
    expect(binFolder(home, join(own, 'mempalace'))).toBe(join(home, '.local/bin'));
    const elsewhere = join(home, 'prefix/bin');
    for (const job of JOBS) shim(elsewhere, job, 'exit 0');
    expect(binFolder(home, join(elsewhere, 'mempalace'))).toBe(elsewhere);
  });
});

describe('when it runs next', () => {
  it('is the next such weekday and time, not now', () => {
    const at = (text: string) => nextWeekly({ minute: 30, hour: 3, weekday: 0 }, new Date(text)).toString();
    expect(at('2026-11-25T12:00:00')).toBe(new Date('2026-11-29T03:30:00').toString());
    expect(at('2026-11-29T03:29:59')).toBe(new Date('2026-11-29T03:30:00').toString());
    expect(at('2026-11-29T03:30:00')).toBe(new Date('2026-12-06T03:30:00').toString());
    // Across the end of summer time the clock counts.
    expect(at('2026-10-30T00:00:00')).toBe(new Date('2026-11-01T03:30:00').toString());
  });

  it('is read from a crontab that names minute, hour and weekday, and from nothing else', () => {
    expect(weeklyOf('30 3 * * 7')).toEqual({ minute: 30, hour: 3, weekday: 0 });
    for (const fields of ['30 3 * * *', '@weekly', '*/5 3 * * 0', '30 3 1 * 0'])
      expect(weeklyOf(fields)).toBeUndefined();
  });

  it('is parsed from the output of systemctl', () => {
    expect(momentOf('Sun 2026-11-29 03:30:00 UTC')).toBe('2026-11-29T03:30:00.000Z');
    expect(momentOf('Sun 2026-11-29 03:30:00.123456 UTC')).toBe('2026-11-29T03:30:00.000Z');
    for (const nothing of ['n/a', '0', '', undefined, 'infinity']) expect(momentOf(nothing)).toBeNull();
  });
});

describe('staleFeeders', () => {
  const NOW = Date.UTC(2026, 10, 22);
  const daysAgo = (days: number) => NOW - days * 86_400_000;
  const status = (values: Partial<ScheduleStatus>): ScheduleStatus => ({
    scheduler: 'systemd',
    job: 'mempalace-session',
    installed: true,
    active: true,
    next: null,
    last: null,
    result: null,
    exitCode: null,
    installedAt: new Date(daysAgo(3)).toISOString(),
    problems: [],
    ...values,
  });
  const stale = (runs: Parameters<typeof staleFeeders>[1], ...statuses: ScheduleStatus[]) =>
    staleFeeders(['mempalace-session'], runs, async () => statuses, NOW);
  const run = (lastMs: number, doneMs: number | null) => [{ command: 'mempalace-session', lastMs, doneMs }];

  it('lists scheduled programs whose last success is older than 14 days', async () => {
    const [one] = await stale(run(daysAgo(1), daysAgo(15)), status({}));
    expect(one).toMatchObject({ command: 'mempalace-session', schedulers: ['systemd'], days: 15 });
    expect(one?.notice).toContain(`since ${dayOf(daysAgo(15))}`);
    expect(await stale(run(daysAgo(14), daysAgo(14)), status({}))).toEqual([]);
    expect(await stale(run(daysAgo(1), daysAgo(15)), status({ installed: false }))).toEqual([]);
    expect(await stale(run(daysAgo(1), daysAgo(15)), status({ job: 'mempalace-docs' }))).toEqual([]);
  });

  it('lists programs without a success, unless they are new', async () => {
    expect(await stale([], status({}))).toEqual([]);
    expect(await stale([], status({ installedAt: null, scheduler: 'cron' }))).toEqual([]);
    expect(await stale([], status({ installedAt: new Date(daysAgo(20)).toISOString() }))).toHaveLength(1);
    expect(await stale(run(daysAgo(1), null), status({}))).toHaveLength(1);
  });

  it('does not ask the schedulers when all is well', async () => {
    const never = () => Promise.reject(new Error('asked'));
    expect(await staleFeeders(['mempalace-session'], run(daysAgo(1), daysAgo(1)), never, NOW)).toEqual([]);
  });
});
