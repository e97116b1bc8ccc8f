import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Skipped } from '../../../src/core/contract.js';
import { Keeper } from '../../support/keeper.js';
import { exchange, OpencodeDatabase, START_MS } from '../../support/opencode-database.js';
import { Feeder, temporaryFolder } from './helpers.js';

const problemsOf = (skipped: readonly Skipped[]) => skipped.filter(({ problem }) => problem === true);
const prose = (text: string) => ({ type: 'prose', text });
const UNKNOWN_FORM = 'messages of an unknown form';

function database(): OpencodeDatabase {
  return new OpencodeDatabase(join(temporaryFolder(), 'opencode.db'));
}

describe('a session of a later opencode', () => {
  it.each([
    [
      'all parts of a type that is not known',
      { parts: [prose('What is it?')] },
      { parts: [prose('It is this.')] },
    ],
    [
      'text deep in parts of such a type',
      { parts: [{ type: 'rich', body: [{ run: 'What is it?' }] }] },
      { parts: [] },
    ],
    ['users of another name', { role: 'human', parts: ['What is it?'] }, { parts: [] }],
  ])('with %s is a problem, not a short session', async (_, question, answer) => {
    const live = database();
    const turn = [question, { role: 'assistant', ...answer }];
    live.addSession({ title: 'Later', messages: [...turn, ...turn] });
    live.addSession({ title: 'Readable', messages: exchange('Q', 'A') });
    live.close();
    const feeder = new Feeder(live.path);
    for (const _ of [1, 2]) {
      const run = await feeder.stage({ minMessages: 2 });
      expect(run.sources.map(({ title }) => title)).toEqual(['Readable']);
      expect(problemsOf(run.skipped)).toEqual([
        expect.objectContaining({
          reason: UNKNOWN_FORM,
          detail: expect.stringMatching(
            /^Later: [24] of them, .*update mempalace-toolkit; what is filed stays$/,
          ),
        }),
      ]);
    }
    // With --session it is selected, with the same problem.
    const all = (await feeder.survey({ minMessages: 0 })).sessions();
    const named = await feeder.stage({
      sessions: all.filter(({ title }) => title === 'Later').map(({ session }) => session.row.id),
    });
    expect(named.sources).toEqual([]);
    if (!('role' in question)) expect(problemsOf(named.skipped)).toMatchObject([{ reason: UNKNOWN_FORM }]);
  });

  it('has unreadable messages named in each run; the others are staged', async () => {
    const live = database();
    const messages = [...exchange('Q', 'A'), { parts: [prose('And now?')] }, ...exchange('Q2', 'A2')];
    live.addSession({ title: 'Half', messages });
    live.close();
    const feeder = new Feeder(live.path);
    for (const _ of [1, 2]) {
      const run = await feeder.stage();
      expect(run.byTitle('Half')).toMatchObject({ leftOutRows: 1 });
      expect(problemsOf(run.skipped)).toMatchObject([
        { reason: UNKNOWN_FORM, detail: expect.stringContaining('1 of them') },
      ]);
    }
  });

  it('has no problem with metadata, empty parts and parts without an author', async () => {
    const live = database();
    live.addSession({
      title: 'Harmless',
      messages: [
        { parts: ['Q', prose('said again in another way')] },
        { role: 'assistant', parts: [{ type: 'hologram', id: 'hol_1', frames: 2, state: 'done' }] },
        {
          role: 'assistant',
          parts: [{ type: 'tool', tool: 'bash', state: { status: 'completed' } }, prose('a b')],
        },
        { role: 'system', parts: ['You are a helpful program.'] },
        { role: 'assistant', parts: ['A'] },
      ],
    });
    live.addSession({
      title: 'Short',
      messages: [{ parts: ['Q'] }, { role: 'system', parts: ['Be kind.'] }],
    });
    live.close();
    const run = await new Feeder(live.path).stage({ minMessages: 2 });
    expect(run.sources.map(({ title }) => title)).toEqual(['Harmless']);
    expect(problemsOf(run.skipped)).toEqual([]);
    const reasons = run.skipped.map(({ reason }) => reason);
    expect(reasons).toEqual(expect.arrayContaining(['unknown part type prose', 'fewer than 2 messages']));
  });

  it('that was filed stays filed, and a fork with its own words is not treated as a copy', async () => {
    const live = database();
    const original = exchange('Which port does it take?', 'Port 8443.');
    live.addSession({ id: 'ses_a', title: 'First', messages: original });
    const keeper = new Keeper(live.path);
    expect(await keeper.run()).toEqual([]);
    const copied = original.map((message, index) => ({ ...message, at: START_MS + (index + 1) * 1_000 }));
    const own = { at: START_MS + 9e6, parts: [prose('And which one inside?')] };
    live.addSession({ id: 'ses_b', title: 'Fork', created: START_MS + 8e6, messages: [...copied, own] });
    expect(await keeper.run()).toEqual([expect.stringContaining(UNKNOWN_FORM)]);
    live.database.exec(
      `UPDATE part SET data = replace(data, '"type":"text"', '"type":"prose"'), time_updated = 2e12`,
    );
    const problems = await keeper.run();
    expect(problems).toEqual(expect.arrayContaining([expect.stringMatching(`${UNKNOWN_FORM}: First`)]));
    expect(keeper.filed().get('opencode:ses_a')).toContain('Port 8443.');
    live.close();
  });
});
