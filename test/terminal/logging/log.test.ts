import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { LogFile } from '../../../src/platform/log-file.js';
import { forJournal, stderrIsJournal } from '../../../src/terminal/logging/journal.js';
import { Log, logConfig } from '../../../src/terminal/logging/log.js';
import { temporaryFolder } from '../../support/palace.js';

const read = (path: string) => readFileSync(path, 'utf8');

describe('logConfig', () => {
  it('prefers the flag to the variable, and resolves ~ and relative paths', () => {
    const env = { MEMPALACE_LOG_FILE: '/var/a.log', MEMPALACE_LOG_LEVEL: 'debug' };
    expect(logConfig({}, {}, '/h')).toEqual({ file: undefined, level: 'info' });
    expect(logConfig({}, env, '/h')).toEqual({ file: '/var/a.log', level: 'debug' });
    expect(logConfig({ logFile: '~/b', logLevel: 'WARN' }, env, '/h')).toEqual({
      file: '/h/b',
      level: 'warn',
    });
    expect(logConfig({ logFile: 'b' }, {}, '/h').file).toBe(join(process.cwd(), 'b'));
  });

  it('names the flag or the variable with an unknown level', () => {
    expect(() => logConfig({ logLevel: 'loud' }, {}, '/h')).toThrow(
      '--log-level takes error, warn, info, debug',
    );
    expect(() => logConfig({}, { MEMPALACE_LOG_LEVEL: 'loud' }, '/h')).toThrow('MEMPALACE_LOG_LEVEL takes');
  });
});

describe('a log', () => {
  it('has one line per entry of its level and above, with time, level and process, in a private file', () => {
    const file = join(temporaryFolder(), 'new', 'folder', 'a.log');
    const log = new Log({ file, level: 'warn' }, 'mempalace docs', () => expect.unreachable());
    log.write('info', 'not this');
    log.write('warn', 'two\nlines \u001b[31m');
    log.write('error', 'last');
    log.close();
    const [first, second, ...rest] = read(file).split('\n');
    expect(first).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z warn mempalace docs\[\d+\]: two lines /);
    expect(first).not.toContain('\u001b');
    expect(second).toMatch(/ error mempalace docs\[\d+\]: last$/);
    expect(rest).toEqual(['']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(join(file, '..')).mode & 0o777).toBe(0o700);
  });

  it('that is not writable is reported once, and stops nothing', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'a.log'));
    const told: string[] = [];
    const log = new Log({ file: join(folder, 'a.log'), level: 'info' }, 'x', (text) => told.push(text));
    log.write('info', 'one');
    log.write('info', 'two');
    expect(told).toEqual([expect.stringMatching(/the log .*a\.log cannot be written: EISDIR/)]);
  });
});

describe('a log file', () => {
  it('is rotated before it is too long: the newest three are kept, lines are not cut', () => {
    const path = join(temporaryFolder(), 'a.log');
    const file = new LogFile(path, 100);
    for (let index = 0; index < 40; index += 1)
      file.append(`line ${String(index).padStart(2, '0')} ${'x'.repeat(20)}`);
    file.close();
    const kept = [`${path}.2`, `${path}.1`, path].map(read).join('');
    expect(
      kept
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.slice(5, 7))),
    ).toEqual([33, 34, 35, 36, 37, 38, 39]);
    expect(existsSync(`${path}.3`)).toBe(false);
    for (const each of [path, `${path}.1`, `${path}.2`]) expect(statSync(each).size).toBeLessThanOrEqual(100);
  });

  it.skipIf(process.getuid === undefined)('that others could read becomes private', () => {
    const file = join(temporaryFolder(), 'log');
    for (const path of [file, `${file}.1`, `${file}.2`]) writeFileSync(path, 'older\n');
    const open = new LogFile(file);
    for (const path of [file, `${file}.1`, `${file}.2`]) chmodSync(path, 0o644);
    open.append('newer');
    open.close();
    for (const path of [file, `${file}.1`, `${file}.2`]) expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(read(file)).toBe('older\nnewer\n');
    // A pipe is not a log file, so its mode is not changed.
    const pipe = join(temporaryFolder(), 'pipe');
    execFileSync('mkfifo', ['-m', '622', pipe]);
    const reading = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const piped = new LogFile(pipe);
    piped.append('x');
    piped.close();
    closeSync(reading);
    expect(statSync(pipe).mode & 0o777).toBe(0o622);
  });

  it('continues in the new file when another process rotates, and ignores leftovers of a killed one', () => {
    const path = join(temporaryFolder(), 'a.log');
    const [one, other] = [new LogFile(path, 20), new LogFile(path, 20)];
    one.append('first first');
    other.append('second second');
    one.append('third');
    expect([read(`${path}.1`), read(path)]).toEqual(['first first\n', 'second second\nthird\n']);
    // A leftover of a process that was killed while it rotated: if it is recent, the line is written without rotation.
    writeFileSync(`${path}.rotating`, '');
    one.append('fourth fourth');
    expect(read(path)).toBe('second second\nthird\nfourth fourth\n');
    one.close();
    other.close();
  });

  it('does not lose or mix lines of several processes that write at once', async () => {
    const path = join(temporaryFolder(), 'a.log');
    const source = fileURLToPath(new URL('../../../dist/platform/log-file.js', import.meta.url));
    const script = `const { LogFile } = await import(${JSON.stringify(source)});
      const file = new LogFile(${JSON.stringify(path)}, 20_000);
      for (let i = 0; i < 200; i += 1) file.append(process.argv[1] + ' ' + i + ' ' + 'x'.repeat(30));`;
    const writers = ['a', 'b', 'c'].map(
      (name) =>
        new Promise((resolve) =>
          spawn(process.execPath, ['--input-type=module', '-e', script, name], { stdio: 'inherit' }).on(
            'close',
            resolve,
          ),
        ),
    );
    expect(await Promise.all(writers)).toEqual([0, 0, 0]);
    const lines = [`${path}.2`, `${path}.1`, path]
      .filter(existsSync)
      .flatMap((each) => read(each).trimEnd().split('\n'));
    expect(new Set(lines).size).toBe(600);
    for (const line of lines) expect(line).toMatch(/^[abc] \d+ x{30}$/);
  });

  it.skipIf(process.geteuid?.() === 0)('of another user is not changed (skipped as root)', () => {
    const path = join(temporaryFolder(), 'a.log');
    writeFileSync(path, '');
    chmodSync(path, 0o400);
    expect(() => new LogFile(path).append('x')).toThrow('EACCES');
  });
});

describe('the journal', () => {
  it('is stderr only if systemd’s numbers are those of stderr', () => {
    for (const JOURNAL_STREAM of [undefined, '', '1:2', 'x', '0:0', '999999999999999999999:1']) {
      expect(stderrIsJournal({ JOURNAL_STREAM })).toBe(false);
    }
  });

  it('gets the priority at the start of each line', () => {
    expect(forJournal('warn', 'a\nb')).toBe('<4>a\n<4>b');
  });
});
