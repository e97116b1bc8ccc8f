import { execFileSync } from 'node:child_process';
import { mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findProjectRoot } from '../../../src/feeders/docs/root.js';
import { placeOf } from '../../../src/feeders/staging/in-project.js';
import { stageTranscripts } from '../../../src/feeders/transcripts/stage.js';
import { surveyTranscripts } from '../../../src/feeders/transcripts/survey.js';
import { exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { temporaryFolder } from '../../support/palace.js';
import { transcriptOptions } from '../../support/staged-transcripts.js';
import { turn } from '../../support/talks.js';
import { Feeder } from '../session/helpers.js';

/** A repository with linked worktrees beside it and in it. */
function repository() {
  const base = realpathSync(temporaryFolder());
  const shop = join(base, 'shop');
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', shop, '-c', 'user.email=a@b.c', '-c', 'user.name=n', ...args], {
      stdio: 'pipe',
    });
  mkdirSync(join(shop, 'docs'), { recursive: true });
  git('init', '-q');
  git('commit', '-q', '--allow-empty', '-m', 'a');
  const [side, inside] = [join(base, 'zurich-v1'), join(shop, '.claude/worktrees/noble-hare')];
  git('worktree', 'add', '-q', side, '-b', 'b1');
  git('worktree', 'add', '-q', inside, '-b', 'b2');
  return { base, shop, side, inside };
}

describe('the place of a session', () => {
  it('is the main checkout for a linked worktree, beside it and in it, and below both', () => {
    const { base, shop, side, inside } = repository();
    mkdirSync(join(side, 'docs'));
    expect(placeOf(shop)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(side)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(inside)).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(join(side, 'docs'))).toEqual({ directory: join(shop, 'docs'), room: 'docs' });
    expect(placeOf(base).directory).toBe(base);
  });

  it('stays when the worktree is removed', () => {
    const { shop, side, inside } = repository();
    for (const gone of [side, inside]) rmSync(gone, { recursive: true });
    expect(placeOf(inside).directory).toBe(shop);
    expect(placeOf(side, { directory: shop })).toEqual({ directory: shop, room: 'shop' });
    expect(placeOf(side)).toEqual({ directory: side, room: 'zurich-v1' });
    expect(placeOf('/nowhere/x', { directory: '/nowhere/y' }).directory).toBe('/nowhere/x');
    expect(placeOf(undefined)).toEqual({ directory: undefined, room: 'general' });
  });
});

describe('a session of a removed worktree stays in its project, also without the cache', () => {
  it('of opencode', async () => {
    const { shop, side } = repository();
    const database = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    const id = database.addSession({ directory: side, messages: exchange('Q?', 'A.') });
    const feeder = new Feeder(database.path);
    const first = await feeder.stage();
    feeder.file(first);
    rmSync(side, { recursive: true });
    rmSync(feeder.cache, { recursive: true });
    database.addMessage(id, { at: START_MS + 9e6, parts: ['again'] });
    const again = await feeder.stage();
    const places = [first, again].map(({ sources }) =>
      sources.map(({ directory, room }) => ({ directory, room })),
    );
    expect(places).toEqual([[{ directory: shop, room: 'shop' }], [{ directory: shop, room: 'shop' }]]);
  });

  it('of another program', async () => {
    const { shop, side } = repository();
    rmSync(side, { recursive: true });
    const file = join(temporaryFolder(), 'a.jsonl');
    writeFileSync(file, turn('user', 'Q?', { sessionId: 'a', cwd: side }));
    const made = await transcriptOptions([file]);
    const before = { wing: 'wing_conversations', mtimeMs: 0, hash: '', versions: '', directory: shop };
    const options = { ...made, filed: { ...made.filed, get: () => before } };
    const [batch] = await stageTranscripts(await surveyTranscripts(options), options);
    expect(batch?.sources).toMatchObject([{ directory: shop, room: 'shop' }]);
  });
});

it('documents of a worktree are those of its project', async () => {
  const { base, shop, side } = repository();
  mkdirSync(join(side, 'docs'));
  expect(await findProjectRoot(side, base)).toEqual({ root: shop, folder: undefined });
  expect(await findProjectRoot(join(side, 'docs'), base)).toEqual({ root: shop, folder: 'docs' });
  // Not in the main checkout: the worktree itself.
  mkdirSync(join(side, 'new'));
  expect(await findProjectRoot(join(side, 'new'), base)).toEqual({ root: side, folder: 'new' });
});
