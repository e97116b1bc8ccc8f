import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import { MANIFEST_NAME } from '../../src/core/contract.js';
import { SANITISER_VERSION } from '../../src/sanitiser/index.js';
import { joinedDrawers } from '../support/drawers.js';
import { it } from '../support/it-env.js';
import { connected } from '../support/mcp-client.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { TestEnv } from '../support/test-env.js';

const TOKEN = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7'.repeat(2).slice(0, 36)}`;
const FILES = {
  'README.md': '# Shop\n\nThe shop sells lamps.\n',
  'docs/proxy.md': '# Proxy\n\nThe proxy answers on port 8443.\n',
};
const HASH = (text: string) => createHash('sha256').update(text).digest('hex');

/** A staging folder as an attacker could write it, with the key of another project. */
function forge(
  folder: string,
  project: { id: string; root: string },
  documents: Record<string, string>,
): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const sources = Object.entries(documents).map(([path, text]) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, path), text, { mode: 0o600 });
    return {
      path,
      sourceKey: `doc:${project.id}/${path}`,
      sourceFile: `mempalace-docs/wing_shop/shop/${path}`,
      origin: join(project.root, path),
      kind: 'document',
      wing: 'wing_shop',
      room: 'general',
      mtimeMs: Date.now(),
      bytes: Buffer.byteLength(text),
      hash: HASH(text),
      madeBy: `sanitiser ${SANITISER_VERSION}`,
      fingerprint: '-',
    };
  });
  const manifest = {
    version: 1,
    sources,
    skipped: [],
    project: { ...project, rootCommit: null, folder: 'shop' },
    complete: { project: project.id, unread: [] },
  };
  writeFileSync(join(folder, MANIFEST_NAME), JSON.stringify(manifest), { mode: 0o600 });
  for (let each = folder; each.endsWith('x'); each = dirname(each)) chmodSync(each, 0o700);
}

/** A palace with a project, and a second project that claims the first one's key. */
async function attacked() {
  const env = new TestEnv();
  const shop = env.project('shop', FILES);
  await env.json('mempalace-docs', [shop]);
  const { sources } = await env.json('mempalace', ['list', 'sources']);
  const key = String((sources as { source_key: string }[])[0]?.source_key);
  const id = key.slice('doc:'.length, key.indexOf('/'));
  const project = env.project('evil', { 'notes.md': '# Notes\n\nHarmless.\n' });
  forge(join(project, 'x'), { id, root: shop }, { 'README.md': `# Overwritten\n\ntoken ${TOKEN}\n` });
  forge(project, { id, root: shop }, { 'README.md': `# Overwritten\n\ntoken ${TOKEN}\n` });
  chmodSync(project, 0o700);
  return { env, project, id, before: joinedDrawers(env.palace) };
}

describe('a staging manifest in a project', () => {
  it.each([
    ['', []],
    ['', ['--mode', 'convos']],
    ['', ['--allow-removals']],
    ['x', []],
    ['x', ['--mode', 'convos']],
    ['x', ['--dry-run']],
  ])('%s is an ordinary file: mine %j', async (below, flags) => {
    const { env, project, before } = await attacked();
    await env.run('mempalace', ['mine', join(project, below), ...flags]);
    const after = joinedDrawers(env.palace);
    for (const [key, text] of before) expect(after.get(key)).toBe(text);
    expect([...after.values()].join('\n')).not.toContain(TOKEN);
    expect(readFileSync(join(env.palace, 'palace.sqlite3')).includes(TOKEN)).toBe(false);
  });

  it('is reported, with the option that files the user’s own staging', async () => {
    const { env, project } = await attacked();
    const { stderr } = await env.run('mempalace', ['mine', join(project, 'x'), '--dry-run']);
    expect(stderr).toContain('is not trusted');
    expect(stderr).toContain('--staged');
  });

  it('is ignored for an agent, which cannot use --staged', async () => {
    const { env, project, before } = await attacked();
    const server = await connected(env, ['--tools', 'all']);
    for (const args of [
      { source: project, mode: 'convos' },
      { source: join(project, 'x'), mode: 'convos' },
      { source: project },
      { source: project, mode: 'convos', wing: '--staged' },
      { source: project, mode: 'convos', agent: '--staged' },
      { source: '--staged', mode: 'convos' },
      { source: project, mode: 'convos', staged: true },
    ])
      await server.call('mine', args);
    const after = joinedDrawers(env.palace);
    for (const [key, text] of before) expect(after.get(key)).toBe(text);
    expect([...after.values()].join('\n')).not.toContain(TOKEN);
  });
});

describe('mine --staged', () => {
  it('files on one machine what was staged on another: documents and sessions', async () => {
    const container = new TestEnv();
    const shop = container.project('shop', { ...FILES, 'key.md': `# Key\n\nThe token is ${TOKEN}.\n` });
    const path = join(container.home, '.local/share/opencode/opencode.db');
    mkdirSync(dirname(path), { recursive: true });
    const history = new OpencodeDatabase(path);
    history.addSession({ messages: exchange('Which port?', `8443, with ${TOKEN}`) });
    await container.json('mempalace-docs', [shop, '--stage-only', '--no-redact']);
    await container.json('mempalace-session', ['--min-messages', '1', '--stage-only', '--no-redact']);
    history.close();

    const host = new TestEnv();
    const copy = join(host.home, 'from-container');
    cpSync(container.cache, copy, { recursive: true });
    renameSync(container.home, `${container.home}-gone`);
    const mined = await host.json('mempalace', ['mine', copy, '--staged']);
    expect(mined).toMatchObject({ new: 4, problems: [], redacted: { 'github-token': 2 } });
    const drawers = joinedDrawers(host.palace);
    expect([...drawers.values()].join('\n')).not.toContain(TOKEN);
    expect([...drawers.values()].join('\n')).toContain('8443, with [REDACTED:github-token]');
    expect(await host.json('mempalace', ['mine', copy, '--staged'])).toMatchObject({
      new: 0,
      changed: 0,
      unchanged: 4,
    });
  });

  it('does not bypass the removal guard', async () => {
    const { env, id, before } = await attacked();
    const named = join(env.home, 'named/x');
    const root = join(env.home, 'shop');
    // A folder inside the other project, which would absorb its documents.
    forge(named, { id: 'abc', root: join(root, 'docs') }, { 'proxy.md': '# Mine now\n' });
    const outer = await env.json('mempalace', ['mine', named, '--staged'], 3);
    expect(outer).toMatchObject({ removed: 0, problems: [{ reason: 'removals held back' }] });
    rmSync(named, { recursive: true });
    // All documents removed at once.
    forge(named, { id, root: '/elsewhere' }, {});
    const gone = await env.json('mempalace', ['mine', named, '--staged'], 3);
    expect(gone).toMatchObject({ removed: 0, problems: [{ reason: 'removals held back' }] });
    const after = joinedDrawers(env.palace);
    for (const [key, text] of before) expect(after.get(key)).toBe(text);
    // The project is unchanged: another run finds nothing new.
    expect(await env.json('mempalace-docs', [root])).toMatchObject({ new: 0, unchanged: 2 });
    expect(await env.json('mempalace', ['mine', named, '--staged', '--allow-removals'])).toMatchObject({
      removed: 2,
    });
  });

  it('reports the problem of a folder', async ({ env }) => {
    const shop = env.project('shop', FILES);
    for (const [args, code, message] of [
      [[shop, '--staged'], 1, 'nothing is staged'],
      [[shop, '--staged', '--mode', 'convos'], 2, 'exclude each other'],
      [[shop, '--staged', '--wing', 'a'], 2, 'exclude each other'],
    ] as const) {
      const outcome = await env.run('mempalace', ['mine', ...args]);
      expect(outcome.stderr).toContain(message);
      expect(outcome.exitCode).toBe(code);
    }
  });
});

describe('the staging cache', () => {
  it('of a run without redaction is redacted when it is filed', async ({ env }) => {
    const shop = env.project('shop', { 'key.md': `# Key\n\nThe token is ${TOKEN}.\n` });
    await env.json('mempalace-docs', [shop, '--stage-only', '--no-redact']);
    const staged = join(env.cache, 'mempalace-docs');
    expect(await env.json('mempalace', ['mine', staged])).toMatchObject({
      new: 1,
      redacted: { 'github-token': 1 },
    });
    expect([...joinedDrawers(env.palace).values()].join('')).not.toContain(TOKEN);
    // --no-redact files it unchanged.
    await env.json('mempalace', ['mine', staged, '--no-redact']);
    expect([...joinedDrawers(env.palace).values()].join('')).toContain(TOKEN);
  });
});
