import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { execa } from 'execa';
import { describe, expect, it } from 'vitest';
import { takeLock } from '../../src/platform/lock.js';
import { palaceFile } from '../../src/store/index.js';
import { installedCopy, runFrom } from '../support/broken-install.js';
import { builtOnce } from '../support/built-once.js';
import { schemas } from '../support/json-schemas.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { type Outcome, TestEnv } from '../support/test-env.js';

const PROGRAM = fileURLToPath(new URL('../../bin/mempalace', import.meta.url));

/** A healthy machine: programs on PATH, a current palace. */
async function sound(): Promise<TestEnv> {
  const { env, built: links } = await given();
  env.env.PATH = `${links}:${env.env.PATH}`;
  return env;
}

const given = builtOnce(async (env) => {
  const links = join(env.home, '.local', 'bin');
  mkdirSync(links, { recursive: true });
  for (const name of ['mempalace', 'mempalace-docs', 'mempalace-mcp', 'mempalace-session'])
    symlinkSync(fileURLToPath(new URL(`../../bin/${name}`, import.meta.url)), join(links, name));
  await env.json('mempalace-docs', [env.project('shop', { 'docs/proxy.md': '# Proxy\n\nPort 8443.\n' })]);
  return links;
});

/** The findings that are not `ok`, as `status label: detail → next`; nothing below HOME may have changed. */
async function ailments(env: TestEnv, args: readonly string[] = [], root?: string): Promise<string[]> {
  const before = env.fingerprint();
  const run = root === undefined ? env.run('mempalace', ['doctor', ...args, '--json']) : undefined;
  const outcome =
    run === undefined ? await runFrom(root ?? '', env, ['doctor', ...args, '--json']) : await run;
  expect(env.fingerprint()).toBe(before);
  return ailmentsOf(outcome);
}

function ailmentsOf(outcome: Outcome): string[] {
  expect(outcome.stderr).toBe('');
  const { findings, ok, warnings, failures } = schemas.doctor.parse(JSON.parse(outcome.stdout));
  expect([ok, warnings, failures]).toEqual(
    ['ok', 'warn', 'fail'].map((status) => findings.filter((each) => each.status === status).length),
  );
  expect(outcome.exitCode).toBe(failures > 0 ? 1 : 0);
  const ill = findings.filter(({ status }) => status !== 'ok');
  expect(ill.every(({ next }) => next !== null && next !== '')).toBe(true);
  return ill.map(({ status, label, detail, next }) => `${status} ${label}: ${detail} → ${next}`);
}

const one = (status: string, label: string, ...words: string[]) => [
  expect.stringMatching(
    new RegExp(`^${status} ${label}: .*${words.map((word) => word.replaceAll('.', '\\.')).join('.*')}`, 's'),
  ),
];

function change(env: TestEnv, sql: string): void {
  const database = new Database(palaceFile(env.palace));
  database.exec(sql);
  database.close();
}

describe('mempalace doctor', () => {
  it('finds no problem on a healthy machine, and lists its checks', async () => {
    const env = await sound();
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({ messages: exchange('One?', 'Two.') });
    history.close();
    expect(await ailments(env)).toEqual([]);
    expect(await ailments(env, ['--full'])).toEqual([]);
    const { stdout, exitCode } = await env.run('mempalace', ['doctor']);
    expect(exitCode).toBe(0);
    for (const words of ['better-sqlite3 ', 'sqlite-vec ', 'the reference vector', '1 session can be read'])
      expect(stdout).toContain(words);
    expect(stdout).toMatch(/no problems, \d+ ok$/);
    expect((await env.run('mempalace', ['doctor', '--quiet'])).stdout).toBe('');
  });

  it('creates no file on an empty machine', async () => {
    const env = new TestEnv();
    expect(await ailments(env)).toEqual([
      ...one('warn', 'palace', 'there is none yet', 'mempalace-docs'),
      ...one(
        'warn',
        'PATH',
        'not on PATH: mempalace, mempalace-docs, mempalace-mcp, mempalace-session',
        'install.sh',
      ),
    ]);
  });

  it('says how to put the links on PATH, and names the commit', async () => {
    const env = await sound();
    env.env.PATH = (env.env.PATH ?? '').split(':').slice(1).join(':');
    expect(await ailments(env)).toEqual(
      one('warn', 'PATH', '.local/bin is not on PATH', './install.sh --path', 'open a new terminal'),
    );
    const [version, doctor] = [
      await env.run('mempalace', ['--version']),
      await env.run('mempalace', ['doctor']),
    ];
    expect(doctor.stdout.split('\n')[0]).toBe(`ok    mempalace-toolkit   ${version.stdout}`);
  });

  it('names the run that locks the palace, and takes no lock', async () => {
    const env = await sound();
    const lock = await takeLock(join(env.palace, 'run.lock'), 'a long run', 0);
    const { stdout } = await env.run('mempalace', ['doctor']);
    expect(stdout).toContain(`held by a long run (process ${process.pid}, since `);
    lock.release();
    writeFileSync(join(env.palace, 'run.lock.holder'), JSON.stringify({ pid: 1, command: 'x', since: 'y' }));
    expect((await env.run('mempalace', ['doctor'])).stdout).toContain('run lock            it is free');
  });

  it('reports a malformed configuration, and continues', async () => {
    const env = await sound();
    env.project('.config/mempalace', { 'config.yaml': 'search:\n  limit: many\n' });
    expect(await ailments(env)).toEqual(one('fail', 'configuration', 'config.yaml:2', 'correct it'));
  });

  it('reports broken links, and other programs that are first on PATH', async () => {
    const env = await sound();
    const link = join(env.home, '.local', 'bin', 'mempalace-docs');
    rmSync(link);
    symlinkSync('/nowhere/bin/mempalace-docs', link);
    const other = env.project('other', { mempalace: '#!/bin/sh\n' });
    chmodSync(join(other, 'mempalace'), 0o755);
    env.env.PATH = `${other}:${env.env.PATH}`;
    expect(await ailments(env)).toEqual([
      ...one('fail', 'links', 'mempalace-docs is a broken link', 'install.sh'),
      ...one('warn', 'PATH', 'other/mempalace, not the one of this installation', 'before it on PATH'),
      ...one('warn', 'PATH', 'not on PATH: mempalace-docs', 'install.sh'),
    ]);
  });
});

describe('doctor and pi', () => {
  const extension = fileURLToPath(new URL('../../contrib/pi/mempalace.ts', import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));

  it('says nothing where pi is not, and how it has the extension where it is', async () => {
    const env = await sound();
    const said = async () =>
      (await env.run('mempalace', ['doctor'])).stdout.match(/^.*\bpi {2,}.*$/gm)?.join('\n');
    expect(await said()).toBeUndefined();
    const agent = env.project('.pi/agent', { 'settings.json': '{}' });
    mkdirSync(join(agent, 'extensions'));
    expect(await said()).toMatch(/^ok .*without our extension/);
    writeFileSync(join(agent, 'settings.json'), JSON.stringify({ packages: ['npm:x', { source: root }] }));
    expect(await said()).toMatch(/^ok .*is a package of pi/);
    const link = join(agent, 'extensions', 'mempalace.ts');
    symlinkSync(extension, link);
    expect(await said()).toMatch(/^ok .*mempalace\.ts is of this installation/);
    expect(await ailments(env)).toEqual([]);

    rmSync(link);
    symlinkSync('/nowhere/mempalace.ts', link);
    writeFileSync(join(agent, 'mcp.json'), '{"mcpServers": {}, // mine\n}');
    expect(await ailments(env)).toEqual([
      ...one('fail', 'pi', 'mempalace.ts is a broken link', 'install.sh'),
      ...one('warn', 'pi', 'mcp.json is not strict JSON', 'remove its comments'),
    ]);
    rmSync(link);
    writeFileSync(link, 'another');
    writeFileSync(join(agent, 'mcp.json'), '{}');
    expect(await ailments(env)).toEqual(one('warn', 'pi', 'is not of this installation', 'move it away'));
  });
});

describe('doctor on a broken install', () => {
  it('names a module that is missing, and checks the rest', async () => {
    const root = installedCopy({ missing: ['better-sqlite3'] });
    const found = await ailments(new TestEnv(), [], root);
    expect(found).toEqual([
      ...one('fail', 'better-sqlite3', 'is not installed', 'run ./install.sh'),
      ...one('warn', 'palace', 'there is none yet'),
      ...one('warn', 'run lock', 'not checked', 'run ./install.sh'),
      ...one('warn', 'broker', 'not checked', 'run ./install.sh'),
      ...one('warn', 'sessions', 'not checked', 'run ./install.sh'),
      ...one('warn', 'PATH', 'not on PATH'),
    ]);
  });

  it('names a module that was never compiled, or whose binary is invalid', async () => {
    const root = installedCopy({ copied: ['better-sqlite3'] });
    const build = join(root, 'node_modules', 'better-sqlite3', 'build');
    const binary = join(build, 'Release', 'better_sqlite3.node');
    writeFileSync(binary, '');
    const env = await sound();
    expect((await ailments(env, [], root))[0]).toMatch(
      /^fail better-sqlite3: its native part cannot be loaded: .*run \.\/install\.sh/,
    );
    rmSync(build, { recursive: true });
    expect((await ailments(env, [], root))[0]).toMatch(/^fail better-sqlite3: was never compiled/);
  });

  it('names sqlite-vec when it is the one that is missing', async () => {
    const root = installedCopy({ missing: ['sqlite-vec'] });
    expect(await ailments(new TestEnv(), [], root)).toContainEqual(
      one('fail', 'sqlite-vec', 'is not installed')[0],
    );
  });

  it('names any other missing package, and how to restore it', async () => {
    const root = installedCopy({ missing: ['smol-toml'] });
    expect(await ailments(await sound(), [], root)).toEqual(
      expect.arrayContaining([
        ...one('fail', 'clients', 'not checked: smol-toml is not installed', 'run ./install.sh'),
      ]),
    );
  });

  it('names the runtime of models when it is missing', async () => {
    const root = installedCopy({ missing: ['onnxruntime-node'] });
    expect(await ailments(new TestEnv(), [], root)).toContainEqual(
      one('fail', 'model run', 'onnxruntime-node cannot be loaded')[0],
    );
  });

  it('names a model file that is corrupted', async () => {
    const root = installedCopy();
    const file = join(root, 'models', 'use-lite', 'use-lite-int8.onnx');
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(4_000_000) ^ 1, 4_000_000);
    writeFileSync(file, bytes);
    expect(await ailments(new TestEnv(), [], root)).toContainEqual(
      one('fail', 'model files', 'damaged (sha256 differs)'.replace(/[()]/g, '\\$&'), 'git checkout')[0],
    );
  });
});

describe('doctor on a broken palace', () => {
  it('of a newer version', async () => {
    const env = await sound();
    change(env, 'PRAGMA user_version = 999');
    expect(await ailments(env)).toEqual(
      one('fail', 'palace', 'is newer', 'schema 999', './install.sh --update'),
    );
  });

  it('whose model is not installed', async () => {
    const env = await sound();
    change(env, "UPDATE meta SET value = 'use-lite@0/512' WHERE key = 'model'");
    expect(await ailments(env)).toEqual(
      one('fail', 'model', 'cannot be compared', 'reembed --model use-lite'),
    );
    change(env, "UPDATE meta SET value = 'other@1/512' WHERE key = 'model'");
    expect(await ailments(env)).toEqual(one('fail', 'model', 'does not know', 'reembed --model use-lite'));
  });

  it('of the default model of earlier versions: works as before, and is offered the new one', async () => {
    const env = new TestEnv();
    const project = env.project('shop', {
      'docs/proxy.md': '# Proxy\n\nThe proxy listens on port 8443.\n',
      'docs/cat.md': '# Cat\n\nThe cat sleeps in the sink.\n',
    });
    env.env.MEMPALACE_MODEL = 'use-lite';
    await env.json('mempalace-docs', [project]);
    delete env.env.MEMPALACE_MODEL;
    env.edit(join(project, 'docs/key.md'), '# Keys\n\nThe harbour master keeps the keys.\n');
    const filed = await env.run('mempalace-docs', [project, '--json']);
    expect(filed).toMatchObject({ exitCode: 0, stderr: '' });
    expect(JSON.parse(filed.stdout)).toMatchObject({ new: 1, unchanged: 2, embedded: 1 });
    const before = await env.json('mempalace', ['search', 'who holds the keys of the port']);

    const offers = async (): Promise<string[]> => {
      const { exitCode, stdout } = await env.run('mempalace', ['doctor', '--json']);
      expect(exitCode).toBe(0);
      const { findings } = schemas.doctor.parse(JSON.parse(stdout));
      return findings.flatMap(({ status, label, next }) =>
        status === 'ok' && label === 'model' ? [next ?? ''] : [],
      );
    };
    const [offer = ''] = await offers();
    expect(offer).toContain('mempalace reembed --model use-lite-int8');
    env.env.MEMPALACE_MODEL = 'use-lite';
    expect(await offers()).toEqual([]);
    delete env.env.MEMPALACE_MODEL;

    expect(await env.json('mempalace', ['reembed', '--model', 'use-lite-int8'])).toMatchObject({
      previous: { id: 'use-lite' },
      model: { id: 'use-lite-int8' },
      switched: true,
    });
    expect(await offers()).toEqual([]);
    const after = await env.json('mempalace', ['search', 'who holds the keys of the port']);
    expect(after.hits).toMatchObject([{ text: expect.stringContaining('harbour master') }, {}, {}]);
    expect(before.hits).toMatchObject([{ text: expect.stringContaining('harbour master') }, {}, {}]);
  });

  it('of an older version, without a migration', async () => {
    const env = await sound();
    change(env, 'PRAGMA user_version = 1');
    expect(await ailments(env)).toEqual([]);
    const { stdout } = await env.run('mempalace', ['doctor']);
    expect(stdout).toContain('schema 1, will be brought up to date by the next run');
  });

  it('whose file is truncated', async () => {
    const env = await sound();
    const file = palaceFile(env.palace);
    for (const bytes of [statSync(file).size - 8_192, 20_000, 50]) {
      truncateSync(file, bytes);
      expect(await ailments(env)).toEqual(one('fail', 'palace', '', 'mempalace restore --last'));
    }
    truncateSync(file, 0);
    expect(await ailments(env)).toEqual(one('warn', 'palace', 'is empty', 'mempalace-docs'));
  });

  it('whose header says that it is truncated', async () => {
    const env = await sound();
    truncateSync(palaceFile(env.palace), statSync(palaceFile(env.palace)).size - 8_192);
    expect(await ailments(env)).toEqual(one('fail', 'palace', 'is truncated'));
  });

  it('whose file is not a palace', async () => {
    const env = await sound();
    writeFileSync(palaceFile(env.palace), 'a text that somebody saved here'.repeat(50));
    expect(await ailments(env)).toEqual(one('fail', 'palace', 'not an SQLite database', 'restore --last'));
  });

  it('with damaged rows', async () => {
    const env = await sound();
    const file = palaceFile(env.palace);
    const database = new Database(file);
    const root = database.prepare("SELECT rootpage FROM sqlite_master WHERE name = 'drawers'").pluck().get();
    const page = Number(database.pragma('page_size', { simple: true }));
    database.close();
    const bytes = readFileSync(file);
    bytes.fill(0xab, (Number(root) - 1) * page, Number(root) * page);
    writeFileSync(file, bytes);
    expect(await ailments(env)).toEqual(
      expect.arrayContaining([one('fail', '(?:palace|integrity)', 'damaged', 'restore --last')[0]]),
    );
  });

  it('whose indexes disagree with its rows', async () => {
    const env = await sound();
    change(env, 'DELETE FROM codes');
    expect(await ailments(env)).toEqual(one('fail', 'integrity', 'codes', 'mempalace repair$'));
  });

  it('that other users can write or read', async () => {
    const env = await sound();
    chmodSync(env.palace, 0o777);
    chmodSync(palaceFile(env.palace), 0o644);
    chmodSync(join(env.cache, 'mempalace-docs'), 0o755);
    expect(await ailments(env)).toEqual([
      ...one('fail', 'palace', 'others may write', 'mode 0777', 'it is not trusted', 'chmod 700'),
      ...one('fail', 'permissions', 'others may write', 'mode 0777', 'chmod 700'),
      ...one('warn', 'permissions', 'others may read', 'mode 0644', 'chmod 600'),
      ...one('warn', 'permissions', 'others may read', 'mempalace-docs', 'chmod 700'),
    ]);
  });

  it('whose last success is old', async () => {
    const env = await sound();
    change(env, 'UPDATE runs SET started_ms = 1000');
    expect(await ailments(env)).toEqual(
      one('warn', 'last success', 'mempalace-docs: 1969-12-31', 'mempalace-docs <dir>'),
    );
  });

  it('whose log has grown', async () => {
    const env = await sound();
    appendFileSync(`${palaceFile(env.palace)}-wal`, Buffer.alloc(70_000_000));
    const found = await ailments(env);
    expect(found).toContainEqual(one('warn', 'write-ahead log', '70.0 MB', 'next run')[0]);
  });

  it('that cannot be read for lack of permission', async ({ skip }) => {
    const env = await sound();
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined;
    // root can read everything, and another user may not be able to read this checkout.
    const probe = await execa(process.execPath, ['-e', `fs.readFileSync(${JSON.stringify(PROGRAM)})`], {
      ...nobody,
      reject: false,
    });
    if (probe.failed) skip('this checkout cannot be read by another user');
    for (const folder of [join(env.home, '..'), env.home, join(env.home, '.mempalace')])
      chmodSync(folder, 0o755);
    if (nobody === undefined) chmodSync(env.palace, 0);
    const outcome = await execa(process.execPath, [PROGRAM, 'doctor', '--json'], {
      env: env.env,
      extendEnv: false,
      reject: false,
      ...nobody,
    });
    chmodSync(env.palace, 0o700);
    const { stdout, stderr, exitCode } = outcome;
    expect(ailmentsOf({ stdout, stderr, exitCode })).toContainEqual(
      one('fail', 'palace', 'permission denied', 'chown')[0],
    );
  });
});
