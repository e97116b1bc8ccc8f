import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/core/errors.js';
import { exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { Feeder, fixture, readTranscript, temporaryFolder, textsOf } from './helpers.js';

const HOUR_MS = 3_600_000;
const LATER_MS = START_MS + 24 * HOUR_MS;

/** An original with two exchanges, and its fork with one more exchange. */
function history() {
  const live = new OpencodeDatabase(`${temporaryFolder()}/opencode.db`);
  const original = live.addSession({
    title: 'Original',
    created: START_MS,
    messages: [...exchange('One?', 'One.'), ...exchange('Two?', 'Two.')],
  });
  const fork = live.fork(original, {
    title: 'Fork',
    created: LATER_MS,
    messages: exchange('Mine?', 'Mine.'),
  });
  return { live, original, fork, feeder: new Feeder(live.path) };
}

const ALL = ['One?', 'One.', 'Two?', 'Two.'];
const OWN = ['Mine?', 'Mine.'];

describe('the copied part of a fork', () => {
  it('is left out if the original is in the same run', async () => {
    const { feeder, original } = history();
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Original'))).toEqual(ALL);
    expect(textsOf(run.byTitle('Fork'))).toEqual(OWN);
    expect(run.byTitle('Fork').standsIn).toEqual([`opencode:${original}`]);
    expect(run.byTitle('Original').standsIn).toBeUndefined();
    expect(readTranscript(run.byTitle('Fork'))).toHaveLength(3);
  });

  it('counts in the number of messages', async () => {
    const { feeder } = history();
    const survey = await feeder.survey({ minMessages: 5 });
    expect(survey.sessions().map(({ title, messages }) => [title, messages])).toEqual([['Fork', 6]]);
  });

  it('is kept if the original is neither selected nor filed', async () => {
    const { feeder, fork } = history();
    const run = await feeder.stage({ sessions: [fork] });
    expect(textsOf(run.byTitle('Fork'))).toEqual([...ALL, ...OWN]);
    expect(run.byTitle('Fork').standsIn).toBeUndefined();
  });

  it('is left out if the original is filed already, with any options', async () => {
    const { feeder, fork } = history();
    feeder.file(await feeder.stage({ sessions: ['ses_0000000001test'] }));
    for (const options of [{ sessions: [fork] }, { since: LATER_MS }, { limit: 1 }]) {
      const run = await feeder.stage(options);
      expect(run.sources.map((source) => textsOf(source))).toEqual([OWN]);
    }
  });

  it('is left out by the next run if the original is filed later', async () => {
    const { feeder, fork, original } = history();
    feeder.file(await feeder.stage({ sessions: [fork] }));
    feeder.file(await feeder.stage({ sessions: [original] }));
    const survey = await feeder.survey();
    expect(survey.sessions().map(({ title, status }) => [title, status])).toEqual([
      ['Fork', 'grown'],
      ['Original', 'unchanged'],
    ]);
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Fork'))).toEqual(OWN);
    feeder.file(run);
    expect((await feeder.survey()).sessions().map(({ status }) => status)).toEqual([
      'unchanged',
      'unchanged',
    ]);
  });

  it('is left out by the next run, even if only the original has changed', async () => {
    const { live, feeder, original } = history();
    const sinceMs = LATER_MS + HOUR_MS;
    feeder.file(await feeder.stage({ minMessages: 5 }));
    expect([...feeder.filed.values()].map(({ sessionId }) => sessionId)).not.toContain(original);
    live.addMessage(original, { at: sinceMs, parts: ['Three?'] });
    const run = await feeder.stage({ minMessages: 5, since: sinceMs });
    expect(textsOf(run.byTitle('Fork'))).toEqual(OWN);
    feeder.file(run);
    const later = await feeder.stage({ minMessages: 5, since: sinceMs + HOUR_MS });
    expect(later.sources).toEqual([]);
  });

  it('does not change when the original grows', async () => {
    const { live, feeder, original } = history();
    feeder.file(await feeder.stage());
    live.addMessage(original, { at: LATER_MS + HOUR_MS, parts: ['Three?'] });
    const states = (await feeder.survey()).sessions().map(({ title, status }) => [title, status]);
    expect(Object.fromEntries(states)).toEqual({ Original: 'grown', Fork: 'unchanged' });
  });

  it('is kept if the filed original did not contain it yet', async () => {
    const live = new OpencodeDatabase(`${temporaryFolder()}/opencode.db`);
    const original = live.addSession({
      title: 'Original',
      created: START_MS,
      messages: exchange('One?', 'One.'),
    });
    const feeder = new Feeder(live.path);
    feeder.file(await feeder.stage());
    for (const [index, message] of exchange('Two?', 'Two.').entries()) {
      live.addMessage(original, { at: START_MS + HOUR_MS + index, ...message });
    }
    const fork = live.fork(original, {
      title: 'Fork',
      created: LATER_MS,
      messages: exchange('Mine?', 'Mine.'),
    });
    const run = await feeder.stage({ sessions: [fork] });
    expect(textsOf(run.byTitle('Fork'))).toEqual(['Two?', 'Two.', ...OWN]);
    const next = await feeder.stage();
    expect(textsOf(next.byTitle('Original'))).toEqual(ALL);
    expect(textsOf(next.byTitle('Fork'))).toEqual(OWN);
  });

  it('is kept if it was undone in the original', async () => {
    const { live, feeder, original } = history();
    const second = live.database
      .prepare("SELECT message_id FROM part WHERE session_id = ? AND data LIKE '%Two?%'")
      .pluck()
      .get(original);
    live.database
      .prepare('UPDATE session SET revert = ? WHERE id = ?')
      .run(JSON.stringify({ messageID: second }), original);
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Original'))).toEqual(['One?', 'One.']);
    expect(textsOf(run.byTitle('Fork'))).toEqual(['Two?', 'Two.', ...OWN]);
  });

  it('is kept from the first different message', async () => {
    const { live, feeder, original } = history();
    live.database
      .prepare("UPDATE part SET data = replace(data, 'One.', 'Uno.') WHERE session_id = ?")
      .run(original);
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Fork'))).toEqual(['One.', 'Two?', 'Two.', ...OWN]);
  });

  it('does not include the same words at another time', async () => {
    const live = new OpencodeDatabase(`${temporaryFolder()}/opencode.db`);
    live.addSession({ title: 'A', created: START_MS, messages: exchange('Same?', 'Same.') });
    live.addSession({ title: 'B', created: START_MS + HOUR_MS, messages: exchange('Same?', 'Same.') });
    const run = await new Feeder(live.path).stage();
    expect(textsOf(run.byTitle('B'))).toEqual(['Same?', 'Same.']);
    live.close();
  });
});

describe('forks of forks', () => {
  function chain() {
    const { live, original, fork, feeder } = history();
    const second = live.fork(fork, {
      title: 'Fork of fork',
      created: LATER_MS + HOUR_MS,
      messages: exchange('Deep?', 'Deep.'),
    });
    return { live, original, fork, second, feeder };
  }

  it('leave out the text of each other', async () => {
    const { feeder, original, fork } = chain();
    const run = await feeder.stage();
    expect(textsOf(run.byTitle('Fork of fork'))).toEqual(['Deep?', 'Deep.']);
    expect(run.byTitle('Fork of fork').standsIn).toEqual([`opencode:${original}`, `opencode:${fork}`]);
  });

  it('depend on the fork if only the fork exists', async () => {
    const { feeder, fork, second } = chain();
    const run = await feeder.stage({ sessions: [fork, second] });
    expect(textsOf(run.byTitle('Fork'))).toEqual([...ALL, ...OWN]);
    expect(textsOf(run.byTitle('Fork of fork'))).toEqual(['Deep?', 'Deep.']);
    expect(run.byTitle('Fork of fork').standsIn).toEqual([`opencode:${fork}`]);
  });

  it('keep the text of the fork between them if that is missing', async () => {
    const { feeder, original, second } = chain();
    const run = await feeder.stage({ sessions: [original, second] });
    expect(textsOf(run.byTitle('Fork of fork'))).toEqual([...OWN, 'Deep?', 'Deep.']);
  });

  it('give every text once, in any order', async () => {
    const { feeder, original, fork, second } = chain();
    const orders = [
      [second, fork, original],
      [fork, second, original],
      [second, original, fork],
    ];
    for (const order of orders) {
      feeder.filed.clear();
      const fresh = new Feeder(...feeder.paths);
      for (const id of order) fresh.file(await fresh.stage({ sessions: [id] }));
      const run = await fresh.stage();
      const texts = run.sources.flatMap((source) => textsOf(source));
      expect(texts.sort()).toEqual([...ALL, ...OWN, 'Deep?', 'Deep.'].sort());
      fresh.file(run);
      const again = await fresh.stage();
      expect(again.sources.map(({ hash }) => hash)).toEqual(run.sources.map(({ hash }) => hash));
    }
  });
});

describe('a fork without messages of its own', () => {
  function copies() {
    const { live, original, feeder } = history();
    // As opencode deletes a session: with its messages.
    for (const table of ['part', 'message'])
      live.database.exec(
        `DELETE FROM ${table} WHERE session_id IN (SELECT id FROM session WHERE title = 'Fork')`,
      );
    live.database.exec("DELETE FROM session WHERE title = 'Fork'");
    const copy = live.fork(original, { title: 'Copy', created: LATER_MS });
    return { live, original, copy, feeder };
  }

  it('is not filed, with that reason', async () => {
    const { feeder, copy } = copies();
    const run = await feeder.stage();
    expect(run.sources.map(({ title }) => title)).toEqual(['Original']);
    expect(run.skipped).toContainEqual({
      origin: `opencode://${copy}`,
      reason: 'fork with nothing of its own',
      detail: 'Copy',
    });
    expect(run.batches[0]?.contained).toBeUndefined();
  });

  it('is removed from the palace if it was filed before its original', async () => {
    const { feeder, copy, original } = copies();
    const first = await feeder.stage({ sessions: [copy], wing: 'wing_elsewhere' });
    expect(textsOf(first.byTitle('Copy'))).toEqual(ALL);
    feeder.file(first);
    const run = await feeder.stage();
    expect(run.batches.flatMap((batch) => batch.contained ?? [])).toMatchObject([
      { sourceKey: `opencode:${copy}`, standsIn: [`opencode:${original}`] },
    ]);
    feeder.file(run);
    expect([...feeder.filed.keys()]).toEqual([`opencode:${original}`]);
    const again = await feeder.stage();
    expect(again.batches.flatMap((batch) => batch.contained ?? [])).toEqual([]);
  });

  it('is filed if the original fails', async () => {
    const { live, feeder, original, copy } = copies();
    live.addMessage(original, { at: LATER_MS + HOUR_MS, parts: ['Poison'] });
    const { sanitiser } = await feeder.options();
    const clean: typeof sanitiser.clean = async (text) => {
      if (text === 'Poison') throw new UserError('unreadable', 'a damaged page');
      return sanitiser.clean(text);
    };
    const failing = { ...sanitiser, clean, scope: () => ({ ...sanitiser.scope(), clean }) };
    const run = await feeder.stage({ sanitiser: failing });
    expect(run.sources.map(({ sessionId }) => sessionId)).toEqual([copy]);
    expect(textsOf(run.byTitle('Copy'))).toEqual(ALL);
    expect(run.skipped).toEqual([
      {
        origin: `opencode://${original}`,
        reason: 'unreadable session',
        detail: 'a damaged page',
        problem: true,
      },
    ]);
    expect(run.batches.flatMap((batch) => batch.contained ?? [])).toEqual([]);
    feeder.file(run);
    const next = await feeder.stage();
    expect(next.sources.map(({ sessionId }) => sessionId)).toEqual([original]);
    expect(next.batches.flatMap((batch) => batch.contained ?? [])).toHaveLength(1);
  });
});

it('forks of real releases file their history once', async () => {
  for (const name of ['opencode-1.18.33.db', 'opencode-1.2.27.db']) {
    const run = await new Feeder(fixture(name)).stage();
    const fork = run.byTitle('Add tax to the cart total (fork #1)');
    expect(textsOf(fork).map((text) => text.trim())).toEqual([
      'In this fork, use 7% instead',
      'In this fork the rate is 7 %.',
    ]);
  }
  const run = await new Feeder(fixture('opencode-1.18.33.db')).stage();
  expect(textsOf(run.byTitle('Session with manual compaction (fork #1)'))).toEqual([
    'Continue in the fork',
    'Forked answer after a compaction.',
  ]);
});
