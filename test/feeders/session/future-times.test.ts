import { utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { believedTimes, latestBelievable } from '../../../src/core/believed-time.js';
import { DAY_MS, exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { answered, asked, Opencode2Database } from '../../support/opencode2-database.js';
import { Feeder, readTranscript, temporaryFolder, textsOf } from './helpers.js';

/** 2099-01-01. */
const LATE_MS = Date.UTC(2099, 0, 1);

it('a time is believable until the last change of its file, and until now', () => {
  expect(latestBelievable(START_MS, START_MS + 4_000)).toBe(START_MS + 60_000);
  expect(latestBelievable(START_MS + 4_000.7, START_MS)).toBe(START_MS + 60_000);
  // An archive did not keep the time of its last change.
  expect(latestBelievable(0, START_MS)).toBe(START_MS + 60_000);
  expect(believedTimes([9, 1, 9, 2, undefined], 5)).toEqual([1, 1, 1, 2, 2]);
  expect(believedTimes([9, 9], 5)).toEqual([undefined, undefined]);
});

describe('a session with times of a wrong clock', () => {
  const datesOf = (source: Parameters<typeof readTranscript>[0]) =>
    readTranscript(source).map(({ timestamp }) => timestamp.slice(0, 10));

  it('has the date of its other messages, in the order in which they were written', async () => {
    const live = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    live.addSession({
      id: 'ses_a',
      title: 'Jumped',
      updated: LATE_MS,
      messages: [
        { parts: ['Q'] },
        { role: 'assistant', at: LATE_MS, parts: ['A'] },
        { at: START_MS + DAY_MS, parts: ['Q2'] },
      ],
    });
    live.close();
    const run = await new Feeder(live.path).stage();
    const source = run.byTitle('Jumped');
    expect(textsOf(source)).toEqual(['Q', 'A', 'Q2']);
    expect(source.mtimeMs).toBe(START_MS + DAY_MS);
    expect(datesOf(source)).toEqual(['2026-03-02', '2026-03-02', '2026-03-02', '2026-03-03']);
  });

  it.each(['1.x', 'opencode 2'])('has the date of the next session in %s', async (layout) => {
    const path = join(temporaryFolder(), 'opencode.db');
    const late = { at: LATE_MS };
    if (layout === 'opencode 2') {
      const live = new Opencode2Database(path);
      live.addSession('ses_a', [asked('Q'), answered('A')]);
      const times = { title: 'Late', time_created: LATE_MS, time_updated: LATE_MS };
      live.addSession(
        'ses_b',
        [
          { ...asked('Late Q'), ...late },
          { ...answered('Late A'), ...late },
        ],
        times,
      );
      live.close();
    } else {
      const live = new OpencodeDatabase(path);
      const messages = exchange('Late Q', 'Late A').map((message) => ({ ...message, ...late }));
      live.addSession({ title: 'Late', created: LATE_MS, messages });
      live.addSession({ messages: exchange('Q', 'A') });
      live.close();
    }
    const source = (await new Feeder(path).stage()).byTitle('Late');
    expect(source.mtimeMs).toBe(START_MS);
    expect(new Set(datesOf(source))).toEqual(new Set(['2026-03-02']));
    expect(textsOf(source)).toEqual(['Late Q', 'Late A']);
  });

  it('has the date of the database if there is nothing else, also after what the database can contain', async () => {
    const live = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    live.addSession({ title: 'Late', created: START_MS + 9 * DAY_MS, messages: exchange('Q', 'A') });
    live.close();
    utimesSync(live.path, new Date(START_MS), new Date(START_MS));
    const feeder = new Feeder(live.path);
    const run = await feeder.stage();
    expect(new Set(datesOf(run.byTitle('Late')))).toEqual(new Set(['2026-03-02']));
    feeder.file(run);
    expect((await feeder.survey()).sessions()).toMatchObject([{ status: 'unchanged' }]);
  });

  it('is not one in a database that an archive has given the time 0', async () => {
    const live = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    live.addSession({ title: 'Restored', messages: exchange('Q', 'A') });
    live.close();
    utimesSync(live.path, 0, 0);
    const run = await new Feeder(live.path).stage();
    expect(new Set(datesOf(run.byTitle('Restored')))).toEqual(new Set(['2026-03-02']));
    expect(run.byTitle('Restored').mtimeMs).toBeGreaterThan(START_MS);
  });

  it('is seen to grow by --since', async () => {
    const live = new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
    live.addSession({ id: 'ses_a', title: 'Late', created: LATE_MS, messages: exchange('Q', 'A') });
    live.addSession({ title: 'Old', messages: exchange('Q', 'A') });
    const feeder = new Feeder(live.path);
    feeder.file(await feeder.stage());
    live.addMessage('ses_a', { at: LATE_MS + 9e6, parts: ['Q2'] });
    const run = await feeder.stage({ since: Date.now(), sawOlder: true });
    expect(run.sources.map((source) => textsOf(source))).toEqual([['Q', 'A', 'Q2']]);
    live.close();
  });
});
