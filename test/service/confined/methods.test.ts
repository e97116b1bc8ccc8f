import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AnyProcedure } from '../../../src/operations/operation.js';
import { confinedTo } from '../../../src/service/confined/index.js';
import type { PalaceService } from '../../../src/service/contract/index.js';
import type { SqliteService } from '../../../src/service/sqlite/index.js';
import { ask, OPERATIONS, type Operations } from '../../support/ask.js';
import { asking, find, question } from '../palace.js';
import { type Attacks, attacks } from './attacks.js';
import { idsOfOther, MARK, OTHER, OWN, openTwoWings } from './two-wings.js';

const page = { limit: 99, offset: 0 };
type Name = keyof Operations;

/** Words of the other wing count in scores, and in what is chosen by them. */
const SCORED = ['score', 'scores', 'strength', 'places', 'focus', 'semantic', 'more'];

const plain = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (key, each) => (SCORED.includes(key) ? undefined : each)));

async function answerOf(service: PalaceService, name: Name, input: unknown): Promise<unknown> {
  try {
    const answer = await service.ask(OPERATIONS[name] as AnyProcedure, input, asking());
    if (!('hits' in answer) || !Array.isArray(answer.hits)) return plain(answer);
    return plain({
      ...answer,
      hits: answer.hits.sort((a, b) => (a.drawer.drawerId < b.drawer.drawerId ? -1 : 1)),
    });
  } catch (error) {
    const { name, message, hint, code } = error as Error & { hint?: string; code?: string };
    if (code === undefined) throw error;
    return { name, message, hint, code };
  }
}

const isOperation = (name: string): name is keyof Operations => Object.hasOwn(OPERATIONS, name);
const operations: Readonly<Record<string, AnyProcedure>> = OPERATIONS;
const readsOf = (name: Name): boolean => operations[name]?.reads === true;
/** Those that read come first: what the others file in the own wing is not asked for. */
const names: readonly Name[] = Object.keys(OPERATIONS)
  .filter(isOperation)
  .toSorted((one, other) => Number(readsOf(other)) - Number(readsOf(one)));
/** An operation that is not for a client of one wing, whatever it asks. */
const isRefused = (name: Name): boolean => typeof operations[name]?.inWing === 'string';
/** What of a question is said again. */
const withoutEcho = (answer: unknown, input: unknown): unknown =>
  JSON.stringify(input).includes(MARK) && typeof answer === 'object' && answer !== null
    ? { ...answer, absent: undefined, query: undefined, excluded: undefined, notes: undefined }
    : answer;

describe('a palace that is confined to a wing', () => {
  let whole: SqliteService;
  let alone: SqliteService;
  let asked: Attacks;
  beforeEach(async () => {
    // Diary entries have the time in their keys.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-03-04T05:06:07Z') });
    whole = (await openTwoWings()).palace;
    alone = (await openTwoWings(false)).palace;
    asked = attacks(await idsOfOther(whole));
  });
  afterEach(async () => {
    vi.useRealTimers();
    await Promise.all([whole.close(), alone.close()]);
  });

  it('is attacked by every operation that is for a client of one wing', () => {
    expect(names.filter((name) => !isRefused(name) && asked[name] === undefined)).toEqual([]);
  });

  it('is attacked with marks that the whole palace tells', async () => {
    const told: Name[] = [];
    for (const name of names)
      if (readsOf(name))
        for (const input of asked[name] ?? []) {
          const inAll = 'within' in input ? { ...input, within: undefined } : input;
          const answer = await answerOf(whole, name, inAll);
          if (JSON.stringify(withoutEcho(answer, input)).includes(MARK)) told.push(name);
        }
    // What tells nothing here proves nothing below: these are refused, whatever they would tell.
    const silent = names.filter((name) => readsOf(name) && !told.includes(name) && !isRefused(name));
    expect(silent).toEqual([]);
  });

  it('answers as if there were no other wing, and never tells of it', async () => {
    const [confined, without] = [confinedTo(OWN, whole), confinedTo(OWN, alone)];
    for (const name of names)
      for (const input of asked[name] ?? []) {
        const [one, other] = [await answerOf(confined, name, input), await answerOf(without, name, input)];
        expect(one, `${name} ${JSON.stringify(input)}`).toEqual(other);
        expect(JSON.stringify(withoutEcho(one, input)), name).not.toMatch(new RegExp(MARK, 'i'));
      }
  });

  it('changes nothing of another wing', async () => {
    const state = async () => [
      await ask(whole, 'listSources', { wing: OTHER, ...page }, asking()),
      await ask(whole, 'listDrawers', { wing: OTHER, ...page }),
      await ask(whole, 'kgTimeline', page, asking()),
      await ask(whole, 'taskList', {}),
      await ask(whole, 'collectionList', {}),
    ];
    const before = await state();
    const confined = confinedTo(OWN, whole);
    for (const name of names)
      if (!readsOf(name)) for (const input of asked[name] ?? []) await answerOf(confined, name, input);
    expect(await state()).toEqual(before);
  });

  it('finds, reads, lists, files and changes in its wing', async () => {
    const confined = confinedTo(OWN, whole);
    const call = asking();
    const { hits } = await find(confined, question('lamp', { wing: OWN }), call);
    expect(hits.map(({ drawer }) => drawer.sourceKey)).toContain('doc:p/README.md');
    const readme = await ask(confined, 'show', { name: 'README.md' }, call);
    expect(readme.found).toMatchObject({ kind: 'source', source: { sourceKey: 'doc:p/README.md' } });
    await expect(ask(whole, 'show', { name: 'README.md' }, call)).rejects.toThrow('several sources');
    const draft = { wing: OWN, room: 'notes', content: 'Buy oil.\n' };
    const { drawer_id: id } = await ask(confined, 'addDrawer', draft);
    const moved = await ask(confined, 'updateDrawer', { drawer_id: id, room: 'shopping' });
    expect([moved.room, moved.noop]).toEqual(['shopping', undefined]);
    expect(await ask(confined, 'set', { name: id, pinned: true })).toMatchObject({ pinned: true });
    const weights = { recency: 1, importance: 1 };
    const start = { tokens: 500, weights, half_life_days: 30, without: [], patterns: true };
    const woken = await ask(confined, 'wakeUp', { start }, call);
    expect(woken.important.map(({ drawer_id }) => drawer_id)).toEqual([id]);
    expect(await ask(confined, 'deleteDrawer', { drawer_id: id })).toMatchObject({ drawers_removed: 1 });
    const wrote = await ask(confined, 'diaryWrite', { agent: 'pi', entry: 'Oil was bought.' }, call);
    expect(wrote.wing).toBe(OWN);
    expect((await ask(confined, 'listWings', {}, call)).wings).toMatchObject([{ wing: OWN }]);
  });

  it('says that it is confined, whether the other wing exists or not', async () => {
    const confined = confinedTo(OWN, whole);
    for (const wing of [OTHER, 'nowhere'])
      await expect(ask(confined, 'listSources', { wing }, asking())).rejects.toMatchObject({
        code: 'usage',
        message: `the request names another wing; this client is confined to the wing ${OWN}`,
        hint: `leave the wing out, or name ${OWN}`,
      });
  });

  it('says why it does not answer an operation', async () => {
    const confined = confinedTo(OWN, whole);
    const refused = Object.values(operations).filter(({ inWing }) => typeof inWing === 'string');
    for (const operation of refused)
      await expect(confined.ask(operation, {}, asking()), operation.name).rejects.toMatchObject({
        message: `${operation.inWing}; this client is confined to the wing ${OWN}`,
      });
    expect(refused.map(({ name }) => name)).toContain('task list');
  });

  it('does not pass on an answer that contains another wing', async () => {
    const leaking = {
      ...whole,
      ask: async () => ({ wings: [{ wing: OTHER, rooms: 1, sources: 1, drawers: 1 }] }),
    };
    const answer = ask(confinedTo(OWN, leaking), 'listWings', {}, asking());
    await expect(answer).rejects.toThrow('the answer contains something of another wing');
  });
});
