import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PASSWORD, random } from '../../sanitiser/secrets.js';
import { DAY_MS, exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { Feeder, temporaryFolder } from './helpers.js';

const VALUE = random(32);
const GIVEN_AWAY = `DB_PASSWORD="${VALUE}"`;
const tool = (input: unknown, output: string) => ({
  type: 'tool',
  tool: 'bash',
  callID: `call_${random(6)}`,
  state: { status: 'completed', input, output },
});

function opencode() {
  const live = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
  return { live, feeder: new Feeder(live.path) };
}

/** Every byte and every name below the cache. */
function staged(feeder: Feeder): string {
  const names = readdirSync(feeder.cache, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(feeder.cache, name)).isFile());
  return [...names, ...files.map((name) => readFileSync(join(feeder.cache, name), 'utf8'))].join('\n');
}

function parentAndChild(parentSays: string, childSays: string) {
  const { live, feeder } = opencode();
  const parent = live.addSession({ title: 'Parent', messages: exchange(`${parentSays}?`, 'Yes.') });
  const addChild = () =>
    live.addSession({
      title: 'Child',
      parent,
      created: START_MS + DAY_MS,
      messages: exchange(`${childSays}?`, 'Done.'),
    });
  return { live, feeder, parent, addChild };
}

describe('a secret that a session reveals', () => {
  it('is removed from all of it: before, after, in calls and results, in its title and file name', async () => {
    const { live, feeder } = opencode();
    live.addSession({
      title: `Deploy with ${PASSWORD}`,
      slug: '',
      messages: [
        ...exchange(`it is ${VALUE} or ${PASSWORD}`, `I take ${VALUE}`),
        { role: 'assistant', parts: [tool({ command: `login ${VALUE}`, [VALUE]: 1 }, `ok ${VALUE}`)] },
        ...exchange(`${GIVEN_AWAY} PG_PASSWORD="${PASSWORD}"`, `so ${VALUE}`),
      ],
    });
    const run = await feeder.stage();
    expect(staged(feeder)).not.toContain(VALUE);
    expect(staged(feeder)).not.toContain(PASSWORD);
    expect(staged(feeder).toLowerCase()).not.toContain(PASSWORD.toLowerCase().replace(/[^a-z0-9]+/g, '-'));
    expect(run.sources[0]?.title).toBe('Deploy with [REDACTED:password]');
    expect(run.sources[0]?.redacted?.password).toBeGreaterThanOrEqual(9);
  });

  it('is removed from the part that was filed before the session revealed it', async () => {
    const { live, feeder } = opencode();
    const id = live.addSession({ title: 'Grown', messages: exchange(`try ${VALUE}`, 'No.') });
    const first = await feeder.stage();
    feeder.file(first);
    expect(staged(feeder)).toContain(VALUE);
    live.addMessage(id, { at: START_MS + DAY_MS, parts: [GIVEN_AWAY] });
    const next = await feeder.stage();
    expect(staged(feeder)).not.toContain(VALUE);
    expect(next.sources[0]?.hash).not.toBe(first.sources[0]?.hash);
  });

  it('stays in unrelated sessions, and everywhere without redaction', async () => {
    const { live, feeder } = opencode();
    live.addSession({ title: 'One', messages: exchange(GIVEN_AWAY, 'Yes.') });
    live.addSession({ title: 'Other', created: START_MS + 1, messages: exchange(`digest ${VALUE}`, 'Yes.') });
    await feeder.stage();
    expect(staged(feeder).split(VALUE)).toHaveLength(2);
    feeder.redact = false;
    await feeder.stage();
    expect(staged(feeder).split(VALUE)).toHaveLength(3);
  });
});

describe('related sessions', () => {
  it('lose a secret that one of them reveals, in one run', async () => {
    const { feeder, addChild } = parentAndChild(`use ${VALUE}`, GIVEN_AWAY);
    addChild();
    const run = await feeder.stage();
    expect(run.sources).toHaveLength(2);
    expect(staged(feeder)).not.toContain(VALUE);
  });

  it('lose it if it is revealed later; after that, nothing is written', async () => {
    const { feeder, addChild } = parentAndChild(`use ${VALUE}`, GIVEN_AWAY);
    const first = await feeder.stage();
    feeder.file(first);
    addChild();
    const next = await feeder.stage();
    feeder.file(next);
    expect(staged(feeder)).not.toContain(VALUE);
    expect(next.byTitle('Parent').hash).not.toBe(first.byTitle('Parent').hash);
    expect(next.byTitle('Parent').mtimeMs).toBe(first.byTitle('Parent').mtimeMs);
    const inodes = () => next.sources.map(({ path }) => statSync(path).ino);
    const before = inodes();
    const last = await feeder.stage();
    expect(inodes()).toEqual(before);
    expect(last.sources.map(({ hash }) => hash)).toEqual(next.sources.map(({ hash }) => hash));
  });

  it('lose it even if the run selects only the new one, and the staged files are gone', async () => {
    for (const clear of [false, true]) {
      const { feeder, addChild } = parentAndChild(`use ${VALUE}`, GIVEN_AWAY);
      feeder.file(await feeder.stage());
      const child = addChild();
      if (clear) rmSync(join(feeder.cache, 'mempalace-session'), { recursive: true });
      const next = await feeder.stage({ sessions: [child] });
      expect(next.sources.map(({ title }) => title).sort()).toEqual(['Child', 'Parent']);
      expect(staged(feeder)).not.toContain(VALUE);
    }
  });

  it('are unchanged if they do not contain it', async () => {
    const { feeder, addChild } = parentAndChild('use nothing', GIVEN_AWAY);
    feeder.file(await feeder.stage());
    const run = await feeder.stage({ sessions: [addChild()] });
    expect(run.sources.map(({ title }) => title)).toEqual(['Child']);
  });

  it('pass a secret of an unchanged session to a later one', async () => {
    const { feeder, addChild } = parentAndChild(GIVEN_AWAY, `use ${VALUE}`);
    feeder.file(await feeder.stage());
    const child = addChild();
    await feeder.stage({ sessions: [child] });
    expect(staged(feeder)).not.toContain(VALUE);
  });

  it('include a session and its fork', async () => {
    const { live, feeder } = opencode();
    const original = live.addSession({ title: 'Original', messages: exchange(`use ${VALUE}`, 'Yes.') });
    feeder.file(await feeder.stage());
    live.fork(original, {
      title: 'Fork',
      created: START_MS + DAY_MS,
      messages: exchange(GIVEN_AWAY, 'Yes.'),
    });
    const run = await feeder.stage();
    expect(run.sources).toHaveLength(2);
    expect(staged(feeder)).not.toContain(VALUE);
  });

  it('lose it even if runs end in the middle', async () => {
    const { feeder, addChild } = parentAndChild(`use ${VALUE}`, GIVEN_AWAY);
    addChild();
    for (let run = 0; run < 5; run += 1) {
      try {
        feeder.file(await feeder.stage({ timeIsUp: () => true }));
        break;
      } catch {
        // The time limit was reached.
      }
    }
    expect(staged(feeder)).not.toContain(VALUE);
    expect((await feeder.stage()).sources).toHaveLength(2);
  });
});
