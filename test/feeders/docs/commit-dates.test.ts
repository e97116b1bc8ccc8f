import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdtempSync, realpathSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { commitDates } from '../../../src/feeders/docs/commit-dates.js';
import { it } from '../../support/it-env.js';
import { addFiles, git, makeTree, survey } from './support.js';

const hasGit = spawnSync('git', ['--version']).status === 0;

function commit(root: string, files: Record<string, string>, date: string): void {
  addFiles(root, files);
  git(root, ['add', '.']);
  git(root, ['commit', '-qm', 'x'], date);
}

function repository(): string {
  const root = makeTree({});
  git(root, ['init', '-q']);
  commit(root, { 'a.md': '# A', 'docs/b ü.md': '# B', 'docs/c.md': '# C' }, '2024-03-01T12:00:00Z');
  commit(root, { 'docs/c.md': '# C2' }, '2025-04-02T12:00:00Z');
  return root;
}

async function daysOf(root: string): Promise<Record<string, string>> {
  const { documents } = await survey(root);
  const dates = await commitDates(root, documents);
  return Object.fromEntries([...dates].map(([path, ms]) => [path, new Date(ms).toISOString().slice(0, 10)]));
}

describe.skipIf(!hasGit)('the commit date of a document (skipped without git)', () => {
  it('is known for each, in the project and in a subfolder', async () => {
    const root = repository();
    expect(await daysOf(root)).toEqual({
      'a.md': '2024-03-01',
      'docs/b ü.md': '2024-03-01',
      'docs/c.md': '2025-04-02',
    });
    expect(await daysOf(join(root, 'docs'))).toEqual({ 'b ü.md': '2024-03-01', 'c.md': '2025-04-02' });
  });

  it('is unknown for changed, staged and uncommitted documents', async () => {
    const root = repository();
    appendFileSync(join(root, 'a.md'), 'more');
    writeFileSync(join(root, 'docs/c.md'), '# C3');
    git(root, ['add', 'docs/c.md']);
    writeFileSync(join(root, 'new.md'), '# New');
    expect(await daysOf(root)).toEqual({ 'docs/b ü.md': '2024-03-01' });
  });

  it('is unknown after now', async () => {
    const root = repository();
    commit(root, { 'a.md': '# A2' }, '2099-01-01T12:00:00Z');
    expect(await daysOf(root)).toEqual({ 'docs/b ü.md': '2024-03-01', 'docs/c.md': '2025-04-02' });
  });

  it('is the first commit of a shallow clone, and unknown without a history', async () => {
    const root = repository();
    const clone = join(realpathSync(mkdtempSync(join(tmpdir(), 'docs-'))), 'clone');
    git(root, ['clone', '-q', '--depth', '1', `file://${root}`, clone]);
    expect(new Set(Object.values(await daysOf(clone)))).toEqual(new Set(['2025-04-02']));
    expect(await daysOf(makeTree({ 'a.md': '# A' }))).toEqual({});
    const empty = makeTree({ 'a.md': '# A' });
    git(empty, ['init', '-q']);
    expect(await daysOf(empty)).toEqual({});
  });

  it('does not run programs that the repository names', async () => {
    const root = repository();
    const mark = join(root, 'ran');
    const script = join(root, '.git', 'run.sh');
    writeFileSync(script, `#!/bin/sh\ntouch '${mark}'\ncat\n`, { mode: 0o755 });
    writeFileSync(join(root, '.gitattributes'), '*.md filter=f diff=f\n');
    for (const [key, value] of [
      ['core.fsmonitor', script],
      ['filter.f.clean', script],
      ['diff.f.command', script],
      ['diff.f.textconv', script],
      ['gpg.program', script],
      ['log.showSignature', 'true'],
    ] as const)
      git(root, ['config', key, value]);
    // Another mtime, the same text: git must compare the content.
    utimesSync(join(root, 'a.md'), 1, 1);
    await daysOf(root);
    expect(existsSync(mark)).toBe(false);
  });

  it('is the date of a filed document; a commit files nothing again, and git is called only for read documents', async ({
    env,
  }) => {
    const shop = env.project('shop', {});
    git(shop, ['init', '-q']);
    commit(shop, { 'a.md': '# A\n\nPort 8443.\n', 'b.md': '# B\n\nPort 9443.\n' }, '2024-03-01T12:00:00Z');
    await env.json('mempalace-docs', [shop]);
    const listed = async () => {
      const { sources } = (await env.json('mempalace', ['list', 'sources'])) as {
        sources: { title: string; source_mtime: string }[];
      };
      return Object.fromEntries(sources.map(({ title, ...rest }) => [title, JSON.stringify(rest)]));
    };
    expect((await listed()).A).toContain('2024-03-01');
    const { hits } = await env.json('mempalace', ['search', 'port']);
    expect(JSON.stringify(hits)).toContain('"content_date":"2024-03-01"');
    commit(shop, { 'b.md': '# B\n\nPort 9444.\n' }, '2025-04-02T12:00:00Z');
    expect(await env.json('mempalace-docs', [shop, '--dry-run'])).toMatchObject({ changed: 1, unchanged: 1 });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ changed: 1, unchanged: 1, moved: 0 });
    expect(await env.json('mempalace-docs', [shop])).toMatchObject({ changed: 0, unchanged: 2, embedded: 0 });
    expect((await listed()).B).toContain('2025-04-02');
    expect(await env.json('mempalace-docs', [shop, '--dry-run'])).toMatchObject({ changed: 0, unchanged: 2 });
  });
});

it('is unknown without git', async () => {
  const path = process.env.PATH;
  process.env.PATH = makeTree({});
  try {
    expect(await daysOf(makeTree({ 'a.md': '# A' }))).toEqual({});
  } finally {
    process.env.PATH = path;
  }
});
