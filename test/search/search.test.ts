import fc from 'fast-check';
import { describe, expect, vi } from 'vitest';
import { type Found, type SearchOptions, search } from '../../src/search/index.js';
import { parseQuery } from '../../src/search/query.js';
import type { Palace } from '../../src/store/index.js';
import { countingEmbedder } from '../support/embedder.js';
import { it } from '../support/it.js';
import { fileTexts, temporaryPalace } from '../support/palace.js';

interface Asked {
  wing?: string;
  room?: string;
  limit?: number;
  /** Without the random vectors of the test's model. */
  byWords?: boolean;
  excluded?: readonly string[];
}

function searched(palace: Palace, question: string, options: Asked = {}) {
  const { wing, room, limit = 10, byWords = false, excluded } = options;
  const embedder = byWords ? undefined : countingEmbedder();
  return search({ palace, embedder, question, excluded, limit, by: 'drawer', filter: { wing, room } });
}

async function ask(palace: Palace, question: string, options: Asked = {}) {
  return (await searched(palace, question, options)).hits;
}

/** A palace of two wings and three rooms; words that are in all drawers, in one drawer, and in several columns. */
function filled(): Palace {
  const palace = temporaryPalace();
  const body = (name: string) =>
    Array.from({ length: 30 }, (_, i) => `everywhere ${name} drawer ${i} ${i % 7 === 0 ? 'seventh' : ''}`);
  fileTexts(palace, 'a', body('alpha'), { room: 'one', title: 'Rounding of the cart' });
  fileTexts(palace, 'b', body('beta'), { wing: 'wing_b', room: 'one' });
  fileTexts(palace, 'c', [...body('gamma'), 'naïve café 東京都 🐝 ﬁnal e\u0301te\u0301'], {
    wing: 'wing_b',
    room: 'two',
  });
  return palace;
}

describe('the strength of a hit', () => {
  it('is the share of the words, not compared with other hits', async () => {
    const palace = filled();
    const [all] = await ask(palace, 'seventh alpha', { byWords: true });
    expect(all?.strength).toBe(1);
    const [one] = await ask(palace, 'alpha giraffes sleeping upright', { byWords: true });
    expect(one?.scores.words).toBe(1);
    expect(one?.strength).toBeGreaterThan(0);
    expect(one?.strength).toBeLessThan(0.25);
    const [titled] = await ask(palace, 'rounding of the cart', { byWords: true });
    expect(titled?.strength).toBe(1);
  });

  it('is the meaning too, and the time of a question that names one', async () => {
    const palace = filled();
    for (const hit of await ask(palace, 'alpha giraffes')) {
      const { semantic } = hit.scores;
      expect(hit.strength).toBeGreaterThanOrEqual(0.65 * semantic);
      expect(hit.strength).toBeLessThan(0.35 + 0.65 * semantic + (semantic > 0 ? 0 : 0.65));
    }
    const [timed] = await ask(palace, 'alpha in 1970', { byWords: true });
    const { time = 0 } = timed?.scores ?? {};
    expect(time).toBeGreaterThan(0);
    expect(timed?.strength).toBeGreaterThan(0.3 * time);
  });
});

describe('search', () => {
  it('finds the same with a filter applied before or after', async () => {
    const palace = filled();
    const share = vi.spyOn(palace.reading, 'shareOf');
    const words = fc.constantFrom(
      'everywhere',
      'seventh',
      'alpha',
      'beta',
      'drawer',
      'café',
      '-"beta"',
      '"drawer 3"',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(words, { minLength: 1, maxLength: 4 }),
        fc.constantFrom<{ wing?: string; room?: string }>(
          { wing: 'wing_a' },
          { wing: 'wing_b' },
          { room: 'one' },
        ),
        fc.integer({ min: 1, max: 20 }),
        async (asked, filter, limit) => {
          const found: unknown[] = [];
          for (const told of [0, 1]) {
            share.mockReturnValue(told);
            const hits = await ask(palace, asked.join(' '), { ...filter, limit });
            found.push(hits.map(({ drawer, score }) => [drawer.id, score]));
          }
          expect(found[1]).toEqual(found[0]);
        },
      ),
      { numRuns: 60 },
    );
    expect(share).toHaveBeenCalled();
    share.mockRestore();
  });

  it('accepts any question: no error, scores in bounds and in order, exact filters', async () => {
    const palace = filled();
    const among = fc.record({
      wing: fc.option(fc.constantFrom('wing_a', 'wing_b', 'wing_c'), { nil: undefined }),
      room: fc.option(fc.constantFrom('one', 'two', 'three'), { nil: undefined }),
    });
    const question = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            'everywhere',
            'seventh',
            'alpha',
            'NOT',
            'NEAR(',
            '"',
            '*',
            'text:',
            '^',
            '-x',
            '東京',
          ),
          { maxLength: 12 },
        )
        .map((words) => words.join(' ')),
    );
    await fc.assert(
      fc.asyncProperty(question, among, fc.integer({ min: 1, max: 120 }), async (text, where, limit) => {
        const hits = await ask(palace, text, { ...where, limit });
        expect(hits.length).toBeLessThanOrEqual(limit);
        const shown = hits.flatMap(({ passage }) => passage.map(({ drawer }) => drawer.id));
        expect(new Set(shown).size).toBe(shown.length);
        for (const [rank, { drawer, score, scores }] of hits.entries()) {
          expect(score).toBeLessThanOrEqual(hits[rank - 1]?.score ?? 1);
          for (const part of [score, scores.lexical, scores.semantic]) {
            expect(part).toBeGreaterThanOrEqual(0);
            expect(part).toBeLessThanOrEqual(1);
          }
          expect([where.wing ?? drawer.wing, where.room ?? drawer.room]).toEqual([drawer.wing, drawer.room]);
          expect(palace.reading.drawersById([drawer.id])[0]?.text).toBe(drawer.text);
        }
      }),
      { numRuns: 120 },
    );
  });

  it('accepts very long questions and words', async () => {
    const palace = filled();
    const words = Array.from({ length: 10_000 }, (_, i) => `word${i}`).join(' ');
    for (const text of [words, 'x'.repeat(100_000), `${'a\u0301'.repeat(20_000)}`, '東'.repeat(40_000)]) {
      expect(await ask(palace, text)).toHaveLength(10);
    }
  });

  it('ranks the only drawer with the rare word first, for any position of the word', async () => {
    const palace = filled();
    fileTexts(palace, 'd', ['a drawer about a zeppelin'], { wing: 'wing_b', room: 'two' });
    fileTexts(palace, 'guides/dirigible.md', ['nothing to see'], { title: 'Ballast' });
    for (const [question, key] of [
      ['the zeppelins everywhere', 'd'],
      ['dirigible', 'guides/dirigible.md'],
      ['ballast', 'guides/dirigible.md'],
    ] as const) {
      const [first] = await ask(palace, question, { byWords: true });
      expect(first?.drawer.sourceKey).toBe(key);
      expect(first?.scores.lexical).toBe(1);
    }
  });

  it('finds words with accents, in any case and form', async () => {
    const palace = filled();
    for (const question of ['NAIVE', 'naïve', 'nai\u0308ve', 'Café', 'cafe', 'été', 'ete', '東京都']) {
      const hits = await ask(palace, question, { byWords: true });
      const holding = hits.flatMap(({ passage }) => passage).filter(({ scores }) => scores.lexical === 1);
      expect([question, hits[0]?.drawer.sourceKey, holding.length]).toEqual([question, 'c', 1]);
      expect(holding[0]?.drawer.text).toContain('naïve');
    }
  });

  it('finds texts of a day, written in several forms', async () => {
    const palace = filled();
    for (const question of ['2026-01-02', '2 January 2026', 'in Jan 2026'])
      expect((await ask(palace, question)).every(({ scores }) => scores.bm25 > 0)).toBe(true);
    expect((await ask(palace, '31 October 2025')).every(({ scores }) => scores.bm25 === 0)).toBe(true);
  });

  it('uses only meaning if all words are unknown, and stop words if there are no others', async () => {
    const palace = filled();
    const unknown = await ask(palace, 'qwertz');
    expect(unknown).toHaveLength(10);
    expect(unknown.every(({ scores }) => scores.lexical === 0 && scores.bm25 === 0)).toBe(true);
    const common = await ask(palace, 'everywhere drawer', { limit: 91 });
    expect(
      common.flatMap(({ passage }) => passage).filter(({ scores }) => scores.bm25 > 0).length,
    ).toBeGreaterThan(45);
  });

  it('returns the requested number of hits, if there are enough', async () => {
    const palace = filled();
    const drawers = async (options: Parameters<typeof ask>[2]) =>
      (await ask(palace, 'everywhere', options)).flatMap(({ passage }) => passage);
    expect(await ask(palace, 'everywhere', { limit: 20 })).toHaveLength(20);
    expect(await drawers({ limit: 91 })).toHaveLength(91);
    expect(await drawers({ limit: 5_000 })).toHaveLength(91);
    expect(await drawers({ limit: 91, wing: 'wing_b', room: 'two' })).toHaveLength(31);
  });

  it('returns pages without overlaps and gaps', async ({ palace }) => {
    for (let i = 0; i < 150; i += 1)
      fileTexts(palace, `s${i}`, [`${'word '.repeat((i % 9) + 1)}${'other '.repeat(i % 31)}text ${i}`]);
    const keys = async (limit: number, offset: number) =>
      (
        await search({ palace, embedder: countingEmbedder(), question: 'word other text', limit, offset })
      ).hits.map(({ drawer }) => drawer.sourceKey);
    const all = await keys(150, 0);
    expect(new Set(all).size).toBe(150);
    const pages: string[] = [];
    for (let offset = 0; offset < 150; offset += 10) pages.push(...(await keys(10, offset)));
    expect(pages).toEqual(all);
  });

  it('shows each of several drawers with the same text, in the same order every time', async ({ palace }) => {
    for (const key of ['a', 'b', 'c']) fileTexts(palace, key, ['the same words']);
    const keys = async () => (await ask(palace, 'same words')).map(({ drawer }) => drawer.sourceKey);
    expect(await keys()).toEqual(['a', 'b', 'c']);
    palace.remove(palace.sources.byKey('b')?.id ?? 0);
    palace.tidy();
    expect(await keys()).toEqual(['a', 'c']);
  });

  it('finds nothing in an empty palace', async () => {
    expect(await ask(temporaryPalace(), 'anything')).toEqual([]);
  });
});

describe('a hit', () => {
  /** Two long sources and two short ones; the words are in every second drawer, so none of these are adjacent. */
  function mixed(): Palace {
    const palace = temporaryPalace();
    const texts = (name: string) =>
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0 ? `round prices ${name} ${i}` : `filler ${name} ${i}`,
      );
    fileTexts(palace, 'long.md', texts('long'));
    fileTexts(palace, 'talk', texts('talk'), { kind: 'conversation', sessionId: 's1' });
    fileTexts(palace, 'short.md', ['round the prices once']);
    fileTexts(palace, 'other.md', ['round up']);
    return palace;
  }
  const hitsOf = async (options: Pick<SearchOptions, 'palace' | 'limit' | 'offset' | 'by'>) =>
    (await search({ embedder: undefined, question: 'round prices', ...options })).hits;

  it('is a source by default, a document or a conversation, with the number of its other passages', async () => {
    const palace = mixed();
    const hits = await hitsOf({ palace, limit: 10 });
    expect(hits.map(({ drawer }) => drawer.sourceKey).sort()).toEqual([
      'long.md',
      'other.md',
      'short.md',
      'talk',
    ]);
    for (const { drawer, passage, more } of hits) {
      const expected = drawer.sourceKey === 'long.md' || drawer.sourceKey === 'talk' ? 9 : 0;
      expect([drawer.sourceKey, passage.length, more.length]).toEqual([drawer.sourceKey, 1, expected]);
      expect(more.every((other) => other.drawer.sourceId === drawer.sourceId)).toBe(true);
      expect(more.every((other) => other.score <= (hits[0]?.score ?? 0))).toBe(true);
    }
    const drawers = await hitsOf({ palace, limit: 50, by: 'drawer' });
    expect(drawers).toHaveLength(22);
    expect(drawers.every(({ more }) => more.length === 0)).toBe(true);
  });

  it('counts for the limit and the offset as one, whatever the number of its passages', async () => {
    const palace = mixed();
    const keys = async (limit: number, offset: number) =>
      (await hitsOf({ palace, limit, offset })).map(({ drawer }) => drawer.sourceKey);
    const all = await keys(10, 0);
    expect(await keys(2, 0)).toEqual(all.slice(0, 2));
    expect(await keys(2, 2)).toEqual(all.slice(2));
    expect(await keys(2, 4)).toEqual([]);
  });

  it('is not looked for further when every source is a hit', async ({ palace }) => {
    const texts = Array.from({ length: 300 }, (_, i) => `round prices ${i}`);
    fileTexts(palace, 'long.md', texts);
    const looked = vi.spyOn(palace.lexical, 'candidates');
    expect(await hitsOf({ palace, limit: 5 })).toHaveLength(1);
    expect(looked).toHaveBeenCalledTimes(1);
    fileTexts(palace, 'other.md', ['round up']);
    expect(await hitsOf({ palace, limit: 5 })).toHaveLength(2);
  });
});

describe('quoted and excluded', () => {
  const found = async (palace: Palace, question: string, limit = 10) =>
    (await ask(palace, question, { limit })).map(({ drawer }) => drawer.sourceKey).sort();

  it('words are excluded even if no word of the question is known', async ({ palace }) => {
    fileTexts(palace, 'a', ['round up invoices']);
    for (let i = 0; i < 20; i += 1)
      fileTexts(palace, `b${i}`, [i % 2 === 0 ? `invoices ${i}` : `round down ${i}`]);
    for (const question of ['qwertz -"invoices"', 'round -"invoices"']) {
      const hits = await ask(palace, question, { limit: 30 });
      expect(hits.length).toBeGreaterThan(2);
      expect(hits.map(({ drawer }) => drawer.text).join()).not.toContain('invoices');
    }
  });

  it('the flags of a command are words', async ({ palace }) => {
    for (const text of [
      'docker run -it node',
      'cmake -DNAME=value',
      'it is -40 degrees',
      'npm install --global',
    ])
      fileTexts(palace, text, [text]);
    for (let i = 0; i < 20; i += 1) fileTexts(palace, `other${i}`, [`nothing ${i}`]);
    const first = async (question: string) => (await ask(palace, question))[0]?.drawer.sourceKey;
    expect(await first('docker run -it')).toBe('docker run -it node');
    expect(await first('cmake -DNAME=value')).toBe('cmake -DNAME=value');
    expect(await first('-40')).toBe('it is -40 degrees');
    expect(await first('install --global')).toBe('npm install --global');
    expect(
      (await searched(palace, 'install -"it" - "x y"', { excluded: [' ', 'a b', 'it'] })).excluded,
    ).toEqual(['a b', 'it']);
  });

  it('phrases are exact whatever the marks and forms of their letters', async ({ palace }) => {
    fileTexts(palace, 'ru', ['Тут: ещё не всё готово']);
    fileTexts(palace, 'li', ['the ﬁnal oﬃce report']);
    fileTexts(palace, 'ar', ['قَاعِدَةُ البَيَانَاتِ مَعطُوبَة']);
    for (let i = 0; i < 20; i += 1) fileTexts(palace, `other${i}`, [`nothing final in the office ${i}`]);
    expect(await found(palace, '"еще не все"')).toEqual(['ru']);
    expect(await found(palace, '"ещё не всё"')).toEqual(['ru']);
    expect(await found(palace, '"final office"')).toEqual(['li']);
    expect(await found(palace, '"قاعدة البيانات"')).toEqual(['ar']);
    expect(await found(palace, 'report -"office final"', 40)).toContain('li');
    expect(await found(palace, 'report -"final office"', 40)).not.toContain('li');
  });

  it('names are found by their parts, and parts by names', async ({ palace }) => {
    fileTexts(palace, 'name', ['The HttpRetryPolicy decides']);
    fileTexts(palace, 'words', ['our retry policy over http']);
    for (let i = 0; i < 20; i += 1) fileTexts(palace, `other${i}`, [`nothing ${i} of 3 in 11`]);
    const order = async (question: string) =>
      (await ask(palace, question, { byWords: true })).map(({ drawer }) => drawer.sourceKey).slice(0, 2);
    expect((await order('retry policy')).sort()).toEqual(['name', 'words']);
    expect(await order('HttpRetryPolicy')).toEqual(['name', 'words']);
    const [first] = await ask(palace, 'HttpRetryStrategy retry', { byWords: true });
    expect(first?.scores.words).toBeGreaterThan(0);
    fileTexts(palace, 'v2', ['moved to v3.11.2']);
    fileTexts(palace, 'v3', ['moved to 3.11.3']);
    for (const [question, key] of [
      ['3.11.2', 'v2'],
      ['v3.11.2', 'v2'],
      ['v3.11.3', 'v3'],
      ['3.11.3', 'v3'],
      ['moved to 3.11', 'v2'],
    ] as const)
      expect((await order(question))[0]).toBe(key);
    expect(await ask(palace, '3.11.2', { byWords: true })).toHaveLength(1);
    const exact = await searched(palace, '"3.11.2"');
    expect([exact.absent, exact.hits.map(({ drawer }) => drawer.sourceKey)]).toEqual([[], ['v2']]);
    for (const [version, left] of [
      ['3.11.2', ['v3']],
      ['v3.11.2', ['v3']],
      ['v3.11.3', ['v2']],
      ['"3.11.3"', ['v2']],
    ] as const) {
      const hits = await ask(palace, 'moved', { byWords: true, excluded: [version] });
      expect(hits.map(({ drawer }) => drawer.sourceKey)).toEqual(left);
    }
  });

  it('words alone find nothing', async () => {
    const palace = filled();
    for (const question of ['-"everywhere"', '-"alpha drawer"', '""', '  ']) {
      expect(await ask(palace, question)).toEqual([]);
    }
  });

  it('texts without spaces are found, and excluded, in any position of a run', async ({ palace }) => {
    // Enough other texts that nothing is found by meaning alone.
    for (let i = 0; i < 120; i += 1) fileTexts(palace, `other${i}`, [`这是第${i}个别的文档`]);
    fileTexts(palace, 'zh', ['这个组件使用向量数据库来存储嵌入，我们使用React框架']);
    fileTexts(palace, 'ko', ['데이터베이스를 백업하는 방법']);
    expect(await found(palace, '"使用向量数据库来"')).toEqual(['zh']);
    expect(await found(palace, '"使用React框架"')).toEqual(['zh']);
    expect(await found(palace, '"嵌"')).toEqual(['zh']);
    expect(await found(palace, '"베이스를 백업"')).toEqual(['ko']);
    expect((await searched(palace, '"向量使用"')).absent).toEqual(['向量使用']);
    expect(await found(palace, '文档 组件 -"向量数据库"', 200)).not.toContain('zh');
    expect(await found(palace, '文档 组件 -"量"', 200)).not.toContain('zh');
    expect(await found(palace, '文档 组件', 200)).toContain('zh');
  });

  it('a word next to text without spaces is found', async ({ palace }) => {
    fileTexts(palace, 'zh', ['我们使用React框架，2026年']);
    const [hit] = await ask(palace, 'react');
    expect(hit?.scores.bm25).toBeGreaterThan(0);
  });

  it('signs without a word are found and excluded', async () => {
    const palace = filled();
    for (let i = 0; i < 60; i += 1) fileTexts(palace, `more${i}`, [`nothing ${i}`]);
    expect(await found(palace, '"🐝"')).toEqual(['c']);
    expect(await found(palace, '"🐝" "東京都"')).toEqual(['c']);
    expect(await found(palace, '"🚀"')).toEqual([]);
    const texts = (await ask(palace, 'naïve -"🐝"')).map(({ drawer }) => drawer.text);
    expect(texts.length).toBeGreaterThan(0);
    expect(texts.join()).not.toContain('🐝');
  });

  it('phrases are found if many drawers contain their words', async ({ palace }) => {
    fileTexts(
      palace,
      'c',
      Array.from({ length: 2_100 }, (_, i) => `c${i === 2_099 ? '++ and much more text behind it' : ''}`),
    );
    expect((await ask(palace, '"c++"')).map(({ drawer }) => drawer.chunkIndex)).toEqual([2_099]);
  });

  it('signs next to a word count, except at the end of a sentence', async ({ palace }) => {
    for (const text of ['plain c code', 'some c++ code', 'foo bar code', 'foo-bar code'])
      fileTexts(palace, text, [text]);
    const without = async (...excluded: string[]) =>
      (await ask(palace, 'code', { excluded, limit: 10 })).map(({ drawer }) => drawer.sourceKey).sort();
    expect(await without('c++')).toEqual(['foo bar code', 'foo-bar code', 'plain c code']);
    expect(await without('foo-bar')).toEqual(['foo bar code', 'plain c code', 'some c++ code']);
    expect(await without('foo', 'c++')).toEqual(['plain c code']);
  });

  it('a phrase does not begin or end inside a word', async ({ palace }) => {
    fileTexts(palace, 'a', ['the art of running']);
    fileTexts(palace, 'b', ['carts and arts, a start']);
    expect(await found(palace, '"art"')).toEqual(['a']);
    expect((await searched(palace, '"art of run"')).absent).toEqual(['art of run']);
    expect(await found(palace, '"art of"')).toEqual(['a']);
  });
});

describe('a time in the question', () => {
  const NOW = Date.parse('2026-03-11T12:00:00');
  async function days(question: string) {
    const palace = temporaryPalace();
    for (const day of ['2025-03-03', '2026-01-20', '2026-03-03', '2026-03-10'])
      fileTexts(palace, day, ['the release was cut again'], {}, day);
    const settings = { palace, embedder: undefined, limit: 10, now: NOW };
    const { hits } = await search({ ...settings, question });
    return hits.map(({ drawer, scores }) => [drawer.day, scores.time]);
  }

  it('prefers drawers of that time, and says how much', async () => {
    expect((await days('when was the release cut last week'))[0]).toEqual(['2026-03-03', 1]);
    expect((await days('the release of yesterday'))[0]).toEqual(['2026-03-10', 1]);
    expect((await days('releases before February 2026'))[0]?.[1]).toBe(1);
    expect((await days('the release in March 2025')).map(([day]) => day)[0]).toBe('2025-03-03');
  });

  it('changes nothing where none is named', async () => {
    expect((await days('when was the release cut')).map(([, time]) => time)).toEqual(
      Array(4).fill(undefined),
    );
  });
});

describe('phrases that no drawer contains', () => {
  const TEXTS = ['we round half up', 'half of the invoices', 'the cart', 'c++ and rust'];
  const texts = ({ hits }: Found) => hits.flatMap(({ passage }) => passage.map(({ drawer }) => drawer.text));
  function palaceOf(): Palace {
    const palace = temporaryPalace();
    for (const text of TEXTS) fileTexts(palace, text, [text]);
    return palace;
  }

  it('are searched by their words, which is told', async () => {
    const found = await searched(palaceOf(), 'why "rounding half up" of the cart');
    expect(found.absent).toEqual(['rounding half up']);
    expect(texts(found)).toEqual(expect.arrayContaining(TEXTS.slice(0, 3)));
    const plain = await searched(palaceOf(), 'why rounding half up of the cart');
    expect(found.hits.map(({ score }) => score)).toEqual(plain.hits.map(({ score }) => score));
    expect(plain.absent).toEqual([]);
  });

  it('are those of a question of which no drawer contains all', async () => {
    const palace = palaceOf();
    expect(texts(await searched(palace, '"half" "invoices"'))).toEqual(['half of the invoices']);
    expect((await searched(palace, '"half" "cart"')).absent).toEqual(['half', 'cart']);
    fileTexts(palace, 'z', ['half a cart'], { wing: 'wing_b' });
    expect(await searched(palace, '"half" "cart"')).toMatchObject({ absent: [], hits: [{}] });
    expect((await searched(palace, '"half" "cart"', { wing: 'wing_a' })).absent).toHaveLength(2);
  });

  it('leave excluded words excluded', async () => {
    const found = await searched(palaceOf(), '"round half down" -"invoices"');
    expect(found.absent).toEqual(['round half down']);
    expect(texts(found)).toContain('we round half up');
    expect(texts(found)).not.toContain('half of the invoices');
  });

  it('are searched no further if a word of the question is only where the filter does not look', async () => {
    const palace = palaceOf();
    const inWing = (question: string) => searched(palace, question, { wing: 'wing_a' });
    const [before, beside] = [await inWing('"qwertz"'), (await inWing('cart "qwertz"')).absent];
    fileTexts(palace, 'z', ['qwertz'], { wing: 'wing_b' });
    expect(await inWing('"qwertz"')).toEqual(before);
    expect(before).toEqual({ hits: [], absent: [], excluded: [] });
    expect([(await inWing('cart "qwertz"')).absent, beside]).toEqual([['qwertz'], ['qwertz']]);
  });

  it('are searched no further if the palace has no word of the question', async () => {
    const palace = palaceOf();
    for (const question of ['"--"', '"🚀"', '"qwertz asdf"'])
      expect(await searched(palace, question)).toEqual({ hits: [], absent: [], excluded: [] });
    expect((await searched(palace, 'rust "🚀"')).absent).toEqual(['🚀']);
    expect((await searched(palace, '"c++"')).absent).toEqual([]);
  });

  it('are told on every page', async () => {
    const palace = palaceOf();
    const page = { palace, embedder: countingEmbedder(), question: '"round half down"', limit: 1 };
    for (const offset of [0, 1, 9]) expect((await search({ ...page, offset })).absent).toHaveLength(1);
    expect(await search({ ...page, minScore: 1 })).toEqual({
      hits: [],
      absent: ['round half down'],
      excluded: [],
    });
  });
});

describe('a quoted text', () => {
  it.each([
    ['what is "half up" then', ['half up']],
    ['“half up”', ['half up']],
    ['„half up“', ['half up']],
    ['”half up”', ['half up']],
    ['«\u00a0half up\u00a0»', ['half up']],
    ['the rule ("half up") of rounding', ['half up']],
    ['"one" and "two"', ['one', 'two']],
    ['"a"b', ['a']],
    ["don't 'round up' the users' carts", []],
    ['a 5" disk and a 3" disk', []],
    ['say"half up"', []],
    ['"half up', []],
    ['"" " "', []],
  ])('of %s', (question, phrases) => {
    expect(parseQuery(question).phrases).toEqual(phrases);
  });

  it('is excluded after a minus', () => {
    expect(parseQuery('cart -"half up" -«down»')).toMatchObject({
      meaning: 'cart',
      phrases: [],
      excluded: ['half up', 'down'],
    });
  });
});

describe('the words of a question', () => {
  it('are unique, without stop words if there are others', () => {
    expect(parseQuery('Why does the Cart fail, and why the cart?').words).toEqual(['cart', 'fail']);
    expect(parseQuery('what is it').words).toEqual(['what', 'is', 'it']);
    expect(parseQuery('🐝 … !').words).toEqual([]);
    expect(parseQuery(Array.from({ length: 100 }, (_, i) => `w${i}`).join(' ')).words).toHaveLength(64);
  });
});

describe('a quick search', () => {
  it('finds the first hits of the whole one, and fewer where it must look at more candidates', async ({
    palace,
  }) => {
    for (let source = 0; source < 90; source += 1) fileTexts(palace, `s${source}`, [`marmot ${source}`]);
    const asking = (quick: boolean, limit: number) =>
      search({ palace, embedder: countingEmbedder(), question: 'marmot', limit, by: 'source', quick });
    const keys = ({ hits }: Found) => hits.map(({ drawer }) => drawer.drawerId);
    const [few, all] = [await asking(true, 80), await asking(false, 80)];
    expect(few.hits.length).toBeGreaterThanOrEqual(50);
    expect(few.hits.length).toBeLessThan(80);
    expect(all.hits).toHaveLength(80);
    expect(keys(few)).toEqual(keys(all).slice(0, few.hits.length));
    expect(keys(await asking(true, 20))).toEqual(keys(await asking(false, 20)));
  });
});
