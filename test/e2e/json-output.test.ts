import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fieldsOf, schemas } from '../support/json-schemas.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';
import { shim } from '../support/tools.js';

const MANUAL = readFileSync(new URL('../../docs/json-output.md', import.meta.url), 'utf8');

const TALK = `${[
  { type: 'user', content: 'Which port does the proxy use?' },
  { type: 'assistant', content: [{ type: 'text', text: 'Port 8443, since 443 needs root.' }] },
]
  .map(({ type, content }, index) =>
    JSON.stringify({
      type,
      uuid: `u${index}`,
      sessionId: 'talk-1',
      cwd: '/work/shop',
      version: '2.0.1',
      timestamp: '2026-03-02T10:00:00.000Z',
      message: { role: type, content },
    }),
  )
  .join('\n')}\n`;

/** A document of --json that must have exactly the documented shape. */
async function shaped<T>(
  env: TestEnv,
  schema: z.core.$ZodType<T>,
  program: string,
  ...args: string[]
): Promise<T> {
  const outcome = await env.run(program, [...args, '--json']);
  expect(outcome.exitCode, outcome.stderr).toBe(0);
  expect(outcome.stdout).not.toContain('\n');
  return z.parse(schema, JSON.parse(outcome.stdout));
}

describe('docs/json-output.md', () => {
  it.each(Object.entries(schemas))('names every field of %s', (_, schema) => {
    const missing = [...fieldsOf(schema)].filter((name) => !new RegExp(`[\`"]${name}[\`"]`).test(MANUAL));
    expect(missing).toEqual([]);
  });

  it('describes the output of commands that file', async () => {
    const env = new TestEnv();
    const shop = env.project('shop', { 'docs/proxy.md': '# Proxy\n\nPort 8443.\n', '.env': 'A=1' });
    const talks = env.project('talks', { 'one.jsonl': TALK });
    env.project('.local/share/opencode', {});
    const history = new OpencodeDatabase(join(env.home, '.local/share/opencode/opencode.db'));
    history.addSession({ messages: [...exchange('One?', 'Two.'), ...exchange('Three?', 'Four.')] });
    history.addSession({ id: 'ses_0000000012test', messages: exchange('Hello', 'Hello!') });
    history.close();
    const dry = await shaped(env, schemas.docsDryRun, 'mempalace-docs', shop, '--dry-run', '--verbose');
    expect(dry.documents).toHaveLength(1);
    expect(dry.skips).toHaveLength(1);
    await shaped(env, schemas.staged, 'mempalace-docs', shop, '--stage-only');
    expect((await shaped(env, schemas.docs, 'mempalace-docs', shop)).new).toBe(1);
    expect(
      (await shaped(env, schemas.sessionDryRun, 'mempalace-session', '--dry-run')).sessions,
    ).toHaveLength(1);
    expect((await shaped(env, schemas.session, 'mempalace-session')).new).toBe(1);
    await shaped(env, schemas.verify, 'mempalace', 'verify', '--apply', '--dry-run');
    const mine = ['mine', talks, '--mode', 'convos'];
    expect((await shaped(env, schemas.mineDryRun, 'mempalace', ...mine, '--dry-run')).sources).toHaveLength(
      1,
    );
    expect((await shaped(env, schemas.mine, 'mempalace', ...mine)).new).toBe(1);
    expect((await shaped(env, schemas.docs, 'mempalace', 'mine', shop)).unchanged).toBe(1);
    const set = ['set', 'docs/proxy.md', '--priority', 'high', '--pin'];
    expect(await shaped(env, schemas.set, 'mempalace', ...set)).toMatchObject({ set_priority: 'high' });
    const write = ['diary', 'write', '--agent', 'tester', 'Set the proxy port.'];
    expect((await shaped(env, schemas.diaryWrite, 'mempalace', ...write)).written).toBe(true);
    const collected = <T>(schema: z.core.$ZodType<T>, ...args: string[]) =>
      shaped(env, schema, 'mempalace', 'collection', ...args);
    await collected(schemas.collectionAdd, 'add', 'all', '--query', 'session', '--type', 'diary');
    await collected(schemas.collectionExport, 'export', 'all', '--to', join(env.home, 'all.md'));
    await collected(schemas.collectionDrop, 'drop', 'all');
  });

  it('describes the output of the fact commands', async () => {
    const env = new TestEnv();
    const file = join(env.home, 'facts.json');
    const kg = <T>(schema: z.core.$ZodType<T>, ...args: string[]) =>
      shaped(env, schema, 'mempalace', 'kg', ...args);
    expect((await kg(schemas.kgAdd, 'add', 'shop', 'port', '443')).added).toBe(true);
    expect((await kg(schemas.kgAdd, 'add', 'shop', 'port', '8443')).conflicts).toHaveLength(1);
    expect((await kg(schemas.kgInvalidate, 'invalidate', 'shop', 'port', '443')).ended).toHaveLength(1);
    expect((await kg(schemas.kgSupersede, 'supersede', 'shop', 'port', '80')).ended).toHaveLength(1);
    expect((await kg(schemas.kgExport, 'export')).facts).toHaveLength(3);
    await kg(schemas.kgExportTo, 'export', '--to', file);
    expect((await kg(schemas.kgImport, 'import', file)).unchanged).toBe(3);
    const port = ['forget', 'shop', 'port', '80'];
    expect((await kg(schemas.kgForget, ...port, '--dry-run')).dry_run).toBe(true);
    expect((await kg(schemas.kgForget, ...port, '--yes')).forgotten).toHaveLength(1);
    expect((await kg(schemas.kgImport, 'import', file, '--dry-run')).forgotten).toBe(1);
  });

  it('describes the output of commands that read', async () => {
    const env = new TestEnv();
    const talks = env.project('talks', { 'one.jsonl': TALK });
    await env.json('mempalace-docs', [env.project('shop', { 'docs/proxy.md': '# Proxy\n\nPort 8443.\n' })]);
    await env.json('mempalace', ['mine', talks, '--mode', 'convos']);
    const { hits, weak } = await shaped(env, schemas.search, 'mempalace', 'search', 'proxy port');
    expect(hits).toHaveLength(2);
    expect(weak).toBe(false);
    const index = await shaped(env, schemas.searchIndex, 'mempalace', 'search', 'proxy', '--format', 'index');
    expect(index.hits[0]?.scores.match).toBeGreaterThan(0);
    expect(index.hits).toHaveLength(2);
    const none = await shaped(env, schemas.search, 'mempalace', 'search', 'proxy', '--room', 'dcs');
    expect(none).toMatchObject({
      hits: [],
      notes: [/room dcs/, /did you mean docs/].map((sentence) => expect.stringMatching(sentence)),
    });
    const far = await shaped(env, schemas.search, 'mempalace', 'search', 'zzyzx');
    expect(far).toMatchObject({ weak: true, notes: [expect.stringContaining('nearest in meaning')] });
    const said = hits.find((hit) => hit.kind === 'conversation');
    const id = said?.drawer_id ?? '';
    expect((await shaped(env, schemas.showDrawer, 'mempalace', 'show', id)).drawer.text).toBe(said?.text);
    const whole = await shaped(env, schemas.showSource, 'mempalace', 'show', 'talk-1');
    expect(whole.chars).toBe(whole.text.length);
    await shaped(env, schemas.config, 'mempalace', 'config');
    await shaped(env, schemas.configPath, 'mempalace', 'config', 'path');
    await shaped(env, schemas.modelList, 'mempalace', 'model', 'list');
    await shaped(env, schemas.modelPath, 'mempalace', 'model', 'path', 'use-lite');
    await shaped(env, schemas.modelVerify, 'mempalace', 'model', 'verify', 'use-lite');
    await shaped(env, schemas.modelUse, 'mempalace', 'model', 'use', 'use-lite');
    await shaped(env, schemas.reembed, 'mempalace', 'reembed');
    await shaped(env, schemas.reembed, 'mempalace', 'reembed', '--force');
    await shaped(env, schemas.reembedDryRun, 'mempalace', 'reembed', '--dry-run', '--force');
    await shaped(env, schemas.completion, 'mempalace', 'completion', 'bash');
    await shaped(env, schemas.version, 'mempalace', '--version');
    await shaped(env, schemas.hookFlush, 'mempalace', 'hook', 'flush');
    await shaped(env, schemas.version, 'mempalace', 'search', '--version');
    const copy = join(env.home, 'copy.sqlite3');
    await shaped(env, schemas.backup, 'mempalace', 'backup', copy);
    await shaped(env, schemas.restoreDryRun, 'mempalace', 'restore', copy, '--dry-run');
    await shaped(env, schemas.restore, 'mempalace', 'restore', copy, '--yes');
    await shaped(env, schemas.restoreList, 'mempalace', 'restore', '--list');
    await shaped(env, schemas.scrubDryRun, 'mempalace', 'scrub', '--all', '--dry-run');
    await shaped(env, schemas.scrub, 'mempalace', 'scrub', '--all');
    await shaped(env, schemas.forgetDryRun, 'mempalace', 'forget', '--session', 'talk-1', '--dry-run');
    await shaped(env, schemas.forget, 'mempalace', 'forget', '--session', 'talk-1', '--yes');
    expect((await shaped(env, schemas.forgetList, 'mempalace', 'forget', '--list')).tombstones).toHaveLength(
      1,
    );
    await shaped(env, schemas.forgetAllow, 'mempalace', 'forget', '--session', 'talk-1', '--allow-again');
    const lines = join(env.home, 'palace.jsonl');
    await shaped(env, schemas.export, 'mempalace', 'export', '--to', join(env.home, 'tree'));
    await shaped(env, schemas.export, 'mempalace', 'export', '--jsonl', '--to', lines);
    expect((await shaped(env, schemas.import, 'mempalace', 'import', lines)).unchanged).toBe(1);
    const failed = await env.run('mempalace', ['show', 'nothing', '--json']);
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(schemas.error.parse(JSON.parse(failed.stderr)).error.code).toBe('not-found');
  });

  it('describes the output of the schedule commands (crontab is a fake)', async () => {
    const env = new TestEnv();
    const shims = join(env.home, 'shims');
    for (const name of ['systemctl', 'launchctl']) shim(shims, name, 'exit 127');
    shim(
      shims,
      'crontab',
      `case $1 in -) cat > '${env.home}/crontab' ;; *) cat '${env.home}/crontab' ;; esac`,
    );
    writeFileSync(join(env.home, 'crontab'), '');
    env.env.PATH = `${shims}:${env.env.PATH}`;
    await shaped(env, schemas.projects, 'mempalace', 'projects');
    const shop = env.project('shop', { 'README.md': '# Shop\n' });
    const listed = await shaped(env, schemas.projectsChanged, 'mempalace', 'projects', 'add', shop);
    expect(listed.projects).toEqual([{ dir: shop, line: 2, there: true }]);
    expect((await shaped(env, schemas.docsAll, 'mempalace-docs', '--all')).projects).toHaveLength(1);
    const dry = await shaped(env, schemas.scheduleSteps, 'mempalace', 'schedule', 'install', '--dry-run');
    const done = await shaped(env, schemas.scheduleSteps, 'mempalace', 'schedule', 'install');
    expect(dry).toEqual({ ...done, dry_run: true });
    const { schedules } = await shaped(env, schemas.scheduleStatus, 'mempalace', 'schedule');
    expect(schedules.map(({ command, installed }) => [command, installed])).toEqual([
      ['mempalace-session', true],
      ['mempalace-docs', true],
    ]);
    await shaped(env, schemas.scheduleSteps, 'mempalace', 'schedule', 'remove');
  });

  it('describes the output of setup', async () => {
    const env = new TestEnv();
    const setup = (...args: string[]) => shaped(env, schemas.setupChanges, 'mempalace', 'setup', ...args);
    const only = ['claude-code', '--only', 'mcp,hooks,skill'];
    const dry = await setup(...only, '--dry-run');
    const done = await setup(...only, '--yes');
    expect(done.changes).toEqual(dry.changes);
    expect((await setup(...only)).changes.map((each) => each.done)).toEqual(Array(3).fill('unchanged'));
    expect((await setup('--undo', '--yes')).changes.filter((each) => each.done === 'removed')).toHaveLength(
      3,
    );
  });

  it('describes the output of the mcp command', async () => {
    const env = new TestEnv();
    const mcp = ['mempalace', 'mcp'] as const;
    const dry = await shaped(env, schemas.mcpChange, ...mcp, 'install', 'codex', '--dry-run');
    const done = await shaped(env, schemas.mcpChange, ...mcp, 'install', 'codex');
    expect(dry).toEqual({ ...done, dry_run: true });
    expect((await shaped(env, schemas.mcpChange, ...mcp, 'install', 'codex')).done).toBe('unchanged');
    expect(await shaped(env, schemas.mcpChange, ...mcp, 'remove', 'codex')).toMatchObject({
      done: 'removed',
      command: null,
    });
    expect((await shaped(env, schemas.mcpPrint, ...mcp, 'print')).clients).toHaveLength(6);
  });
});
