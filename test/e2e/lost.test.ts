import { cpSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { enqueue } from '../../src/hooks/queue.js';
import { Palace } from '../../src/store/index.js';
import { removeFolder } from '../support/cleanups.js';
import { it } from '../support/it-env.js';
import { connected } from '../support/mcp-client.js';
import { exchange, OpencodeDatabase } from '../support/opencode-database.js';
import { doomedBy, remainsOf } from '../support/remains.js';
import { turn } from '../support/talks.js';
import { TestEnv } from '../support/test-env.js';
import { verified } from '../support/verified.js';

const SESSION = 'ses_0000000001lost';
const CLAUDE = '00000000-0000-4000-8000-000000000031';
const words = (n: number): [question: string, answer: string] => [
  `Question-${n} about the cart`,
  `Answer-${n} from the cart`,
];

/** What is filed of all sessions; `!` marks a message that is no longer in its source. */
function saidIn(env: TestEnv): string[] {
  return Palace.look(env.palace, ({ sources }) =>
    [...sources.ofKind('conversation').values()].flatMap(({ id }) => {
      const text = sources.textOf(id);
      const turns = sources.turnsOf(id) ?? [];
      return turns.flatMap(({ start, gone }, index) => {
        const [name] = /(?:Question|Answer)-\d+/.exec(text.slice(start, turns[index + 1]?.start)) ?? [];
        return name === undefined ? [] : [`${name}${gone === true ? '!' : ''}`];
      });
    }),
  );
}

const both = (n: number, mark = '') => [`Question-${n}${mark}`, `Answer-${n}${mark}`];

function opencode(env: TestEnv, ...numbers: number[]): OpencodeDatabase {
  const folder = join(env.home, '.local/share/opencode');
  mkdirSync(folder, { recursive: true });
  const history = new OpencodeDatabase(join(folder, 'opencode.db'));
  history.addSession({ id: SESSION, title: 'Cart', messages: numbers.flatMap((n) => exchange(...words(n))) });
  return history;
}

/** The ids of the session's messages, in order. */
function idsIn({ database }: OpencodeDatabase): string[] {
  return database.prepare('SELECT id FROM message ORDER BY id').pluck().all() as string[];
}

/** Deletes the rows of its first messages. */
function loseFirst(history: OpencodeDatabase, count: number): void {
  const kept = idsIn(history)[count];
  history.database.prepare('DELETE FROM part WHERE message_id < ?').run(kept);
  history.database.prepare('DELETE FROM message WHERE id < ?').run(kept);
  history.database.prepare('UPDATE session SET time_updated = time_updated + 100000').run();
}

/** A machine with a filed session that has lost its first question and answer since. */
async function lost() {
  const env = new TestEnv();
  const history = opencode(env, 1, 2);
  await file(env);
  loseFirst(history, 2);
  await file(env);
  return { env, history };
}

const file = (env: TestEnv, exitCode = 0) => env.json('mempalace-session', [], exitCode);

describe('a session of opencode', () => {
  it('keeps messages whose rows are deleted, and tells so where they are read', async ({ env }) => {
    const history = opencode(env, 1, 2, 3);
    await file(env);
    loseFirst(history, 2);
    expect(await file(env)).toMatchObject({
      changed: 1,
      lost: [{ origin: `opencode://${SESSION}`, messages: 2 }],
      problems: [],
    });
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2), ...both(3)]);
    expect(await file(env)).toMatchObject({ unchanged: 1, lost: [] });
    expect(await verified(env)).toMatchObject({
      statuses: [],
      sessions: { ok: 1 },
      gone: [{ source_key: `opencode:${SESSION}`, title: 'Cart', messages: 2 }],
    });
    const shown = await env.run('mempalace', ['show', SESSION]);
    expect(shown.stdout).toMatch(/user \(no longer in the source\)[^\n]*\n[^\n]*Question-1/);
    expect(shown.stdout).toMatch(/user(?: +[\d-]+)?\n[^\n]*Question-2/);
    const found = await env.run('mempalace', ['search', 'Question-1']);
    expect(found.stdout).toContain('no longer in the source');
    history.close();
  });

  it('keeps texts that are emptied, and messages that are gone when it goes on', async ({ env }) => {
    const history = opencode(env, 1, 2);
    await file(env);
    history.database
      .prepare("UPDATE part SET data = json_set(data, '$.text', ''), time_updated = time_updated + 1")
      .run();
    for (const [index, message] of exchange(...words(3)).entries())
      history.addMessage(SESSION, { ...message, at: Date.UTC(2026, 2, 3) + index * 1_000 });
    await file(env);
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2, '!'), ...both(3)]);
    history.close();
  });

  it('loses what the user reverted, and nothing else', async ({ env }) => {
    const history = opencode(env, 1, 2, 3);
    await file(env);
    const revert = JSON.stringify({ messageID: idsIn(history)[4] });
    history.database.prepare('UPDATE session SET revert = ?, time_updated = time_updated + 1').run(revert);
    expect(await file(env)).toMatchObject({ changed: 1, lost: [] });
    expect(saidIn(env)).toEqual([...both(1), ...both(2)]);
    history.database.prepare('UPDATE session SET revert = NULL, time_updated = time_updated + 2').run();
    await file(env);
    expect(saidIn(env)).toEqual([...both(1), ...both(2), ...both(3)]);
    history.close();
  });

  it('can be exported, imported, scrubbed and forgotten with what it has lost', async () => {
    const { env, history } = await lost();
    const other = new TestEnv();
    const archive = join(env.home, 'palace.jsonl');
    await env.json('mempalace', ['export', '--jsonl', '--to', archive]);
    await other.json('mempalace', ['import', archive]);
    for (const machine of [env, other]) {
      expect(saidIn(machine)).toEqual([...both(1, '!'), ...both(2)]);
      await machine.json('mempalace', ['reembed', '--force', '--no-backup']);
      await machine.json('mempalace', ['scrub']);
      expect(saidIn(machine)).toEqual([...both(1, '!'), ...both(2)]);
    }
    // The cache knows nothing of what is lost.
    rmSync(env.cache, { recursive: true });
    await env.json('mempalace-session', ['--force']);
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2)]);
    const doomed = doomedBy(env.palace, `opencode:${SESSION}`, ['Question-1', 'Answer-1']);
    rmSync(archive);
    const remains = () => remainsOf(doomed, join(env.home, '.mempalace'), env.cache);
    expect(remains().join('\n')).toContain('bytes of it');
    await env.json('mempalace', ['forget', '--session', SESSION, '--yes']);
    expect(remains()).toEqual([]);
    expect(saidIn(env)).toEqual([]);
    history.close();
  });

  it('can be backed up and restored with what it has lost, and goes on', async () => {
    const { env, history } = await lost();
    const copy = join(env.home, 'copy.sqlite3');
    await env.json('mempalace', ['backup', copy]);
    rmSync(env.palace, { recursive: true });
    await env.json('mempalace', ['restore', copy]);
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2)]);
    for (const [index, message] of exchange(...words(3)).entries())
      history.addMessage(SESSION, { ...message, at: Date.UTC(2026, 2, 3) + index * 1_000 });
    expect(await file(env)).toMatchObject({ changed: 1, lost: [] });
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2), ...both(3)]);
    history.close();
  });

  it('is kept by a palace elsewhere, which a staged folder makes lose only what was undone, and only with consent', async () => {
    const [env, other] = [new TestEnv(), new TestEnv()];
    const history = opencode(env, 1, 2, 3, 4);
    const fileElsewhere = async (...flags: string[]) => {
      await env.json('mempalace-session', ['--stage-only']);
      const folder = join(other.home, 'staged');
      removeFolder(folder);
      cpSync(join(env.cache, 'mempalace-session'), folder, { recursive: true });
      return other.json('mempalace', ['mine', folder, '--staged', ...flags]);
    };
    await fileElsewhere();
    const last = idsIn(history)[6];
    loseFirst(history, 2);
    expect(await fileElsewhere()).toMatchObject({ changed: 1, lost: [{ messages: 2 }] });
    expect(saidIn(other)).toEqual([...both(1, '!'), ...both(2), ...both(3), ...both(4)]);
    const revert = JSON.stringify({ messageID: last });
    history.database.prepare('UPDATE session SET revert = ?, time_updated = time_updated + 1').run(revert);
    await fileElsewhere();
    expect(saidIn(other)).toEqual([...both(1, '!'), ...both(2), ...both(3), ...both(4, '!')]);
    await fileElsewhere('--allow-removals', '--force');
    expect(saidIn(other)).toEqual([...both(1, '!'), ...both(2), ...both(3)]);
    history.close();
  });
});

describe('a transcript', () => {
  it('that a hook names keeps what its program has lost, and goes on after a damaged line', async ({
    env,
  }) => {
    const path = join(env.home, `.claude/projects/-code-shop/${CLAUDE}.jsonl`);
    const lines = [1, 2, 3, 4].flatMap((n) => [
      turn('user', words(n)[0], { sessionId: CLAUDE }),
      turn('assistant', words(n)[1], { sessionId: CLAUDE }),
    ]);
    const write = (text: string) => {
      env.project('.claude/projects/-code-shop', {});
      env.edit(path, text);
      const [harness, offset] = ['claude-code' as const, statSync(path).size];
      enqueue(env.palace, {
        harness,
        sessionId: CLAUDE,
        transcript: path,
        offset,
        ended: false,
        rests: false,
      });
    };
    write(lines.slice(0, 4).join(''));
    await env.json('mempalace', ['hook', 'flush']);
    // Its second line was cut off by a crash.
    write([lines[0], '{"type":"assis\n', ...lines.slice(2, 6)].join(''));
    await env.json('mempalace', ['hook', 'flush'], 3);
    expect(saidIn(env)).toEqual(['Question-1', 'Answer-1!', ...both(2), ...both(3)]);
    // Then it is written anew with the last turn only.
    write(lines.slice(6).join(''));
    await env.json('mempalace', ['hook', 'flush']);
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2, '!'), ...both(3, '!'), ...both(4)]);
    // And the backup of the file is put in its place.
    write(lines.join(''));
    await env.json('mempalace', ['hook', 'flush']);
    expect(saidIn(env)).toEqual([1, 2, 3, 4].flatMap((n) => both(n)));
  });

  it('whose file another session has taken stays whole, also if an agent has it filed', async ({ env }) => {
    const said = (n: number, sessionId: string) =>
      turn('user', words(n)[0], { sessionId }) + turn('assistant', words(n)[1], { sessionId });
    const folder = env.project('.claude/projects/-code-shop', {
      [`${CLAUDE}.jsonl`]: said(1, CLAUDE) + said(2, CLAUDE),
    });
    const path = join(folder, `${CLAUDE}.jsonl`);
    const { done } = await connected(env, ['--tools', 'all']);
    const mine = () => done('mine', { source: path, mode: 'convos' });
    await mine();
    expect(saidIn(env)).toEqual([...both(1), ...both(2)]);
    env.edit(path, said(2, CLAUDE) + said(3, CLAUDE));
    await mine();
    expect(saidIn(env)).toEqual([...both(1, '!'), ...both(2), ...both(3)]);
    env.edit(path, said(4, CLAUDE.replace(/1$/, '2')) + said(5, CLAUDE.replace(/1$/, '2')));
    await mine();
    expect(saidIn(env).filter((name) => /[1-3]/.test(name))).toEqual([
      ...both(1, '!'),
      ...both(2),
      ...both(3),
    ]);
    expect(saidIn(env)).toEqual(expect.arrayContaining([...both(4), ...both(5)]));
  });

  it.each(['names', 'does not name'])(
    'stays the original of a copy that %s it, and so is forgotten with what it has lost',
    async (how) => {
      const env = new TestEnv();
      const [original, copy] = [CLAUDE, CLAUDE.replace(/1$/, '2')];
      const folder = env.project('.claude/projects/-code-shop', {});
      const said = (n: number, more: Record<string, unknown>) =>
        (['user', 'assistant'] as const)
          .map((role, index) => {
            const uuid = `aaaaaaaa-0000-4000-8000-${String(2 * n + index).padStart(12, '0')}`;
            const forkedFrom = { sessionId: original, messageUuid: uuid };
            const named =
              more.copied === true && how === 'names' ? { uuid: uuid.replaceAll('a', 'b'), forkedFrom } : {};
            const timestamp = new Date(Date.UTC(2026, 2, 2, 10, n, index)).toISOString();
            return turn(role, words(n)[index] ?? '', { uuid, timestamp, ...more, ...named });
          })
          .join('');
      const write = (sessionId: string, copied: number[], own: number[]) =>
        env.edit(
          join(folder, `${sessionId}.jsonl`),
          [
            ...copied.map((n) => said(n, { sessionId, copied: true })),
            ...own.map((n) => said(n, { sessionId })),
          ].join(''),
        );
      const run = () => env.json('mempalace-session', ['--from', 'claude-code']);
      write(original, [], [1, 2, 3]);
      write(copy, [1, 2, 3], [5]);
      await run();
      const filed = () => saidIn(env).sort();
      expect(filed()).toEqual([1, 2, 3, 5].flatMap((n) => both(n)).sort());
      write(original, [], [3, 4]);
      await run();
      const kept = [...both(1, '!'), ...both(2, '!'), ...both(3), ...both(4), ...both(5)];
      expect(filed()).toEqual(kept.sort());
      expect(await verified(env)).toMatchObject({ statuses: [], sessions: { ok: 2 } });
      await env.json('mempalace', ['forget', '--session', original, '--yes']);
      write(copy, [1, 2, 3], [5, 6]);
      await run();
      expect(filed()).toEqual([...both(5), ...both(6)].sort());
      // The copy loses its beginning: what is its own stays.
      write(copy, [], [5, 6, 7]);
      await run();
      expect(filed()).toEqual([...both(5), ...both(6), ...both(7)].sort());
    },
  );
});
