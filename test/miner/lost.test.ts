import { describe, expect, it } from 'vitest';
import type { Recleaning, StagedSource } from '../../src/core/contract.js';
import { areTurnsOf } from '../../src/core/turns.js';
import type { Palace } from '../../src/store/index.js';
import { mined } from '../support/mining.js';
import { temporaryFolder, temporaryPalace } from '../support/palace.js';
import { conversation, type Exchange } from '../support/staged.js';

const NEWER = { mtimeMs: 1_700_000_009_000 };

const exchange = (n: number, more: Partial<Exchange> = {}): Exchange => ({
  id: `m${n}`,
  question: `Question-${n}- why does step ${n} fail?`,
  answer: `Answer-${n}- because the cache of step ${n} is stale.`,
  ...more,
});

/** A palace with one session, filed again and again. */
class Session {
  readonly palace: Palace = temporaryPalace();
  readonly #folder = temporaryFolder();

  async file(
    exchanges: readonly Exchange[],
    changes: Partial<StagedSource> = {},
    { recleaning, force = false }: { recleaning?: Recleaning; force?: boolean } = {},
  ) {
    const { palace } = this;
    const source = conversation(this.#folder, 's1', exchanges, changes);
    const known = recleaning && { recleaning: new Map([[source.sourceKey, recleaning]]) };
    const result = await mined(palace, { sources: [source], skipped: [], ...known }, { force });
    this.#expectVerbatim();
    return result;
  }

  get #id(): number {
    return this.palace.sources.byKey('opencode:s1')?.id ?? 0;
  }

  get text(): string {
    return this.palace.sources.textOf(this.#id);
  }

  /** Words by which each filed message is recognised, in order; `!` for one that is no longer in the source. */
  get said(): string[] {
    const turns = this.palace.sources.turnsOf(this.#id) ?? [];
    return turns.flatMap(({ start, gone }, index) => {
      const text = this.text.slice(start, turns[index + 1]?.start);
      const [name] = /(?:Question|Answer)-\d+/.exec(text) ?? [];
      return name === undefined ? [] : [gone === true ? `${name}!` : name];
    });
  }

  /** Drawers are slices of the text that leave nothing out, and the marks are at the lines of the transcriber. */
  #expectVerbatim(): void {
    const { palace, text } = this;
    const drawers = [...palace.archive.drawers(this.#id)];
    expect(drawers.map((drawer) => drawer.text).join('')).toBe(text);
    for (const drawer of drawers) expect(text.slice(drawer.start, drawer.end)).toBe(drawer.text);
    expect(areTurnsOf(text, palace.sources.turnsOf(this.#id) ?? [])).toBe(true);
    for (const { start, end, lineStart, lineEnd } of drawers) {
      expect(text.slice(0, end).split('\n').length).toBeGreaterThanOrEqual(lineEnd);
      expect(text.slice(0, start).split('\n').length).toBeLessThanOrEqual(lineStart);
    }
  }
}

const both = (n: number, mark = '') => [`Question-${n}${mark}`, `Answer-${n}${mark}`];
const all = (numbers: readonly number[], mark = '') => numbers.flatMap((n) => both(n, mark));
const exchanges = (...numbers: number[]) => numbers.map((n) => exchange(n));

describe('a session keeps the messages', () => {
  it('that a rewritten file lacks, before what follows', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2, 3));
    const result = await session.file(exchanges(4), NEWER);
    expect(result).toMatchObject({ changed: 1, lost: [{ origin: 'opencode://s1', messages: 6 }] });
    expect(session.said).toEqual([...all([1, 2, 3], '!'), ...both(4)]);
  });

  it('of its lost middle where they were, and grows', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2, 3, 4));
    const before = session.text;
    await session.file(exchanges(1, 4), NEWER);
    expect(session.said).toEqual([...both(1), ...all([2, 3], '!'), ...both(4)]);
    expect(session.text).toBe(before);
    const grown = await session.file(exchanges(1, 4, 5), NEWER);
    expect(grown).toMatchObject({ lost: [], drawersAdded: 1, drawersRemoved: 0 });
    expect(session.said).toEqual([...both(1), ...all([2, 3], '!'), ...all([4, 5])]);
  });

  it('until they come back: then they are not marked, and nothing is doubled', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2, 3));
    const before = session.text;
    await session.file(exchanges(3), NEWER);
    await session.file(exchanges(1, 2, 3), NEWER);
    expect(session.said).toEqual(all([1, 2, 3]));
    expect(session.text).toBe(before);
  });

  it('of several losses', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2));
    await session.file(exchanges(3), NEWER);
    const second = await session.file(exchanges(4), NEWER);
    expect(second.lost).toEqual([{ origin: 'opencode://s1', messages: 2 }]);
    expect(session.said).toEqual([...all([1, 2, 3], '!'), ...both(4)]);
  });

  it('when the run reads everything again', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2));
    await session.file(exchanges(3), NEWER);
    expect(await session.file(exchanges(3), NEWER, { force: true })).toMatchObject({ changed: 1, lost: [] });
    expect(session.said).toEqual([...all([1, 2], '!'), ...both(3)]);
  });

  it.each([
    ['emptied', ''],
    ['cut off', 'Answer-2- because'],
    ['cut off and marked', 'Answer-2- because…'],
  ])('whose text was %s', async (_, answer) => {
    const session = new Session();
    await session.file(exchanges(1, 2, 3));
    const before = session.text;
    const poorer = [exchange(1), exchange(2, { answer }), exchange(3)];
    const result = await session.file(poorer, NEWER);
    expect(result.lost).toEqual([{ origin: 'opencode://s1', messages: 1 }]);
    expect(session.text).toBe(before);
    expect(session.said).toEqual([...both(1), 'Question-2', 'Answer-2!', ...both(3)]);
    await session.file(exchanges(1, 2, 3), NEWER);
    expect(session.said).toEqual(all([1, 2, 3]));
  });

  it('whose text was replaced by something else, beside it', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2));
    await session.file([exchange(1), exchange(2, { answer: '[old content cleared]' })], NEWER);
    expect(session.said).toEqual([...both(1), 'Question-2', 'Answer-2!']);
    expect(session.text).toContain('[old content cleared]');
  });

  it('but not the earlier form of one that grew', async () => {
    const session = new Session();
    await session.file([exchange(1, { answer: 'Answer-1- because' })]);
    expect((await session.file([exchange(1)], NEWER)).lost).toEqual([]);
    expect(session.text.match(/Answer-1-/g)).toHaveLength(1);
  });

  it('but not one without its secret, which the session has revealed since', async () => {
    const session = new Session();
    const secret = 'tango-7-foxtrot';
    const recleaning: Recleaning = async (text) => text.replaceAll(secret, '[REDACTED:secret]');
    const tells = (word: string) => exchange(2, { answer: `Answer-2- is ${word} then` });
    await session.file([exchange(1), tells(secret), exchange(3)]);
    const after = [exchange(1), tells('[REDACTED:secret]'), exchange(3)];
    expect((await session.file(after, NEWER, { recleaning })).lost).toEqual([]);
    expect(session.text).not.toContain(secret);
  });

  it('without the secrets that the session has revealed since', async () => {
    const session = new Session();
    const secret = 'tango-7-foxtrot';
    const recleaning: Recleaning = async (text) => text.replaceAll(secret, '[REDACTED:secret]');
    await session.file([exchange(1, { question: `Question-1- ${secret}?` }), exchange(2)]);
    await session.file(exchanges(2, 3), NEWER, { recleaning });
    expect(session.said).toEqual([...both(1, '!'), ...all([2, 3])]);
    expect(session.text).toContain('[REDACTED:secret]');
    expect(session.text).not.toContain(secret);
    for (const { context } of session.palace.archive.drawers(1)) expect(context).not.toContain(secret);
  });

  it('also where the same words are said again', async () => {
    const session = new Session();
    const again = (id: string) => ({ ...exchange(7), id });
    await session.file([exchange(1), again('a'), exchange(2)]);
    await session.file([exchange(2), again('b')], NEWER);
    expect(session.said).toEqual([...both(1, '!'), ...both(7, '!'), ...both(2), ...both(7)]);
  });

  it('once, if the program gives all messages new ids', async () => {
    const session = new Session();
    await session.file(exchanges(1, 2));
    const renamed = exchanges(1, 2, 3).map((each) => ({ ...each, id: `new-${each.id}` }));
    expect((await session.file(renamed, NEWER)).lost).toEqual([]);
    expect(session.said).toEqual(all([1, 2, 3]));
    const thinking = exchanges(1, 2, 3, 4).map(({ id, question, answer }) => {
      return { id: `newer-${id}`, question, answer: `[reasoning] I look.\n\n${answer}` };
    });
    const { mtimeMs } = NEWER;
    expect((await session.file(thinking, { mtimeMs: mtimeMs + 1_000 })).lost).toEqual([]);
    expect(session.said).toEqual(all([1, 2, 3, 4]));
  });
});

describe('whatever happens to a transcript', () => {
  it.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
    'every message is in the palace exactly once (seed %i)',
    async (seed) => {
      const random = randomFrom(seed);
      const session = new Session();
      let next = 1;
      let now: Exchange[] = [];
      const everything: Exchange[] = [];
      const steps: (() => void)[] = [
        () => {
          for (let more = 1 + random(3); more > 0; more -= 1) {
            const said = exchange(next++);
            now.push(said);
            everything.push(said);
          }
        },
        () => (now = now.filter(() => random(3) > 0)),
        () => (now = now.slice(random(now.length + 1))),
        () => (now = [...everything]),
        () => (now = now.map((each) => (random(4) === 0 ? { ...each, answer: '' } : each))),
        () =>
          (now = now.map((each) => (random(4) === 0 ? { ...each, answer: each.answer.slice(0, 12) } : each))),
      ];
      steps[0]?.();
      for (let step = 0; step < 12; step += 1) {
        if (step > 0) steps[random(steps.length)]?.();
        // A feeder stages nothing of a transcript without messages.
        if (now.length === 0) steps[0]?.();
        const changes = random(4) === 0 ? { unparsedRows: 1 } : {};
        await session.file(now, { mtimeMs: 1_700_000_000_000 + random(9) * 1_000, ...changes });
        const present = new Map(now.map((each) => [each.id, each]));
        const expected = everything.flatMap(({ id, question, answer }) => {
          const [questionName] = question.split('- ');
          const [answerName] = answer.split('- ');
          const isThere = present.has(id);
          return [
            isThere ? questionName : `${questionName}!`,
            isThere && present.get(id)?.answer === answer ? answerName : `${answerName}!`,
          ];
        });
        expect([...session.said].sort()).toEqual([...expected].sort());
      }
    },
  );
});

/** A generator of whole numbers below a limit; the same for the same seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return ((state ^ (state >>> 13)) >>> 0) % below;
  };
}
