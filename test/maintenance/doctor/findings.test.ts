import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { reinstallCure, updateCure } from '../../../src/maintenance/doctor/cure.js';
import { modeFinding, spaceFinding } from '../../../src/maintenance/doctor/files.js';
import { examine } from '../../../src/maintenance/doctor/index.js';
import { nativeFailure, nodeFinding } from '../../../src/maintenance/doctor/installation.js';
import { vectorFinding } from '../../../src/maintenance/doctor/model.js';
import { runFindings, scheduleFindings } from '../../../src/maintenance/doctor/sources.js';
import { shellQuoted } from '../../../src/platform/shell-quoted.js';
import type { ScheduleStatus } from '../../../src/schedule/index.js';
import type { CommandRuns } from '../../../src/store/index.js';
import { temporaryFolder } from '../../support/palace.js';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 30);

describe('Node', () => {
  it.each([
    ['18.20.8', 'fail'],
    ['20.0.0', 'ok'],
    ['26.1.0', 'ok'],
  ])('%s: %s', (version, status) => {
    expect(nodeFinding(version, '115', '/usr/bin/node').status).toBe(status);
  });
});

describe('a native module', () => {
  const failing = (code: string | undefined, message: string) =>
    nativeFailure(
      'better-sqlite3',
      Object.assign(new Error(message), code === undefined ? {} : { code }),
      '/p',
    ).detail;

  it('is diagnosed by its load error', () => {
    expect(failing('ERR_MODULE_NOT_FOUND', "Cannot find package 'better-sqlite3'")).toBe('is not installed');
    expect(failing(undefined, 'Could not locate the bindings file. Tried:\n → …')).toMatch(/never compiled/);
    const abi =
      "The module '/x.node'\nwas compiled against a different Node.js version using\nNODE_MODULE_VERSION 93. This version of Node.js requires\nNODE_MODULE_VERSION 115.";
    expect(failing('ERR_DLOPEN_FAILED', abi)).toContain('was built for another Node (ABI 93;');
    expect(failing('ERR_DLOPEN_FAILED', '/x.node: file too short')).toContain('file too short');
  });

  it('of a package, not a checkout, is built by npm', () => {
    const { next } = nativeFailure('better-sqlite3', new Error('Could not locate the bindings file'), '/p');
    expect(next).toBe('npm rebuild --allow-scripts=better-sqlite3 better-sqlite3 (in /p)');
  });

  it('of a package is reinstalled with the options in the manual', () => {
    const readme = readFileSync(new URL('../../../docs/installing.md', import.meta.url), 'utf8');
    const command = /^ONNXRUNTIME_NODE_INSTALL=.*mempalace-toolkit-/m.exec(readme)?.[0];
    expect(command).toBeDefined();
    expect(reinstallCure('/p')).toContain(command);
    expect(updateCure('/p')).toContain(command);
  });
});

describe('modes', () => {
  const folder = (mode: number, uid = 1000) =>
    modeFinding('/p', { mode, uid, isDirectory: () => true }, 1000);

  it('of files that others can write fail, of files that others can read warn', () => {
    expect(folder(0o40700)).toBeUndefined();
    expect(folder(0o40755)).toMatchObject({ status: 'warn', next: 'chmod 700 /p' });
    expect(folder(0o40770)).toMatchObject({ status: 'fail', next: 'chmod 700 /p' });
    expect(folder(0o40702)).toMatchObject({ status: 'fail', detail: 'others may write /p (mode 0702)' });
    expect(folder(0o40700, 0)).toMatchObject({ status: 'warn' });
    const file = modeFinding('/a b', { mode: 0o100666, uid: 1, isDirectory: () => false }, 1);
    expect(file?.next).toBe("chmod 600 '/a b'");
  });
});

describe('paths for a shell', () => {
  it('are quoted if necessary', () => {
    expect(shellQuoted('/home/a/.x')).toBe('/home/a/.x');
    expect(shellQuoted("/it's $HOME")).toBe("'/it'\\''s $HOME'");
  });
});

describe('a vector', () => {
  const model = { id: 'm', dimension: 2 };
  const judge = (vector: number[], reference?: number[]) =>
    vectorFinding('run', model, Float32Array.from(vector), reference).status;

  it('is finite, of length 1, of the right dimension, and the reference', () => {
    expect(judge([0.6, 0.8])).toBe('ok');
    expect(judge([0.6, 0.8], [0.6001, 0.7999])).toBe('ok');
    expect(judge([0.6, 0.8], [0.8, 0.6])).toBe('fail');
    expect(judge([0.6, 0.8], [])).toBe('fail');
    expect(judge([0.6, 0.9])).toBe('fail');
    expect(judge([Number.NaN, 1])).toBe('fail');
    expect(judge([1])).toBe('fail');
  });
});

describe('the last success', () => {
  const run = (changes: Partial<CommandRuns>): CommandRuns => ({
    command: 'mempalace-session',
    lastMs: NOW - DAY,
    lastExitCode: 0,
    succeededMs: NOW - DAY,
    doneMs: NOW - DAY,
    ...changes,
  });
  const statuses = (...runs: CommandRuns[]) => runFindings(runs, NOW).map(({ status }) => status);

  it('warns after 14 days, without any success, and if the last run failed', () => {
    expect(statuses()).toEqual([]);
    expect(statuses(run({}))).toEqual(['ok']);
    expect(statuses(run({ command: 'mempalace reembed', doneMs: null }))).toEqual([]);
    expect(statuses(run({ doneMs: NOW - 14 * DAY }))).toEqual(['ok']);
    expect(statuses(run({ doneMs: NOW - 15 * DAY }))).toEqual(['warn']);
    expect(statuses(run({ doneMs: null }))).toEqual(['warn']);
    expect(statuses(run({ lastMs: NOW, lastExitCode: 1 }))).toEqual(['warn']);
    expect(statuses(run({ lastMs: NOW, lastExitCode: null }))).toEqual(['ok']);
  });
});

describe('a schedule', () => {
  const status: ScheduleStatus = {
    scheduler: 'cron',
    job: 'mempalace-session',
    installed: true,
    active: true,
    next: null,
    last: null,
    result: null,
    exitCode: null,
    installedAt: null,
    problems: [],
  };
  const judge = (changes: Partial<ScheduleStatus>) =>
    scheduleFindings([{ ...status, ...changes }]).map((each) => `${each.status} ${each.detail}`);

  it('is shown, with a warning if it is duplicated, will not run, or failed', () => {
    expect(judge({ installed: false })).toEqual([expect.stringMatching(/^ok none is installed/)]);
    expect(judge({})).toEqual(['ok mempalace-session by cron']);
    expect(judge({ exitCode: 3 })).toEqual(['ok mempalace-session by cron']);
    expect(judge({ problems: ['its line is there twice: remove one'], exitCode: 1 })).toEqual([
      'warn mempalace-session by cron: its line is there twice: remove one',
      'warn mempalace-session by cron: its last run ended with 1 (1)',
    ]);
    expect(judge({ active: false })).toEqual([expect.stringMatching(/^warn .*will not run$/)]);
  });
});

describe('disk space', () => {
  it('that is too little is a warning', () => {
    expect(spaceFinding('disk', '/', 5, 5).status).toBe('ok');
    expect(spaceFinding('disk', '/', 4, 5).status).toBe('warn');
  });
});

describe('a check that throws', () => {
  const home = temporaryFolder();
  const options = {
    env: {},
    folders: { home, cache: home, data: home, config: home, state: home, palace: home },
    palaceFlag: undefined,
    version: '1',
    root: home,
    full: false,
    now: NOW,
  };
  const throwing = (error: unknown) => [
    {
      label: 'broken',
      judgesFlags: true,
      run: () => {
        throw error;
      },
    },
    { label: 'next', needsSqlite: true, run: () => [] },
  ];

  it('is a finding, and the next checks run', async () => {
    const hinted = new UserError('failed', 'no such thing', { hint: 'make one' });
    expect(await examine(options, undefined, throwing(hinted))).toEqual([
      { status: 'fail', label: 'broken', detail: 'no such thing', next: 'make one' },
      expect.objectContaining({ status: 'warn', label: 'next' }),
    ]);
    const [bug] = await examine(options, undefined, throwing(new TypeError('x is undefined')));
    expect(bug).toMatchObject({ status: 'fail', detail: 'x is undefined' });
  });

  it('for a wrong flag stops doctor', async () => {
    const wrong = new UserError('usage', 'what?');
    await expect(examine(options, undefined, throwing(wrong))).rejects.toBe(wrong);
  });
});
