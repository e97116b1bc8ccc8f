import { describe, expect, it } from 'vitest';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as difference from '../../bench/retrieval/difference.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as distractors from '../../bench/retrieval/distractors.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as extract from '../../bench/retrieval/extract.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as measures from '../../bench/retrieval/measures.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as docsDev from '../../bench/retrieval/on-docs-dev.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as shortSources from '../../bench/retrieval/on-short-sources.mjs';
// @ts-expect-error: plain JavaScript, typed where it is used
import * as wholeSources from '../../bench/retrieval/whole-sources.mjs';

interface Source {
  id: string;
  scope: string;
  name: string;
  text: string;
}
interface Ranking {
  ranked: string[];
  relevant: string[];
}
type Measure = (ranked: string[], relevant: string[], k: number) => number;

const { hit, reciprocal }: { hit: Measure; reciprocal: Measure } = measures;
const {
  WholeSources,
}: { WholeSources: new (sources: Source[]) => { rank: (question: string, scope?: string) => string[] } } =
  wholeSources;
const {
  loadDocsDev,
}: {
  loadDocsDev: () =>
    | { sources: Source[]; questions: { text: string; project: string; files: string[] }[] }
    | undefined;
} = docsDev;
const { differences, formatDifference } = difference as {
  differences: (
    ours: Ranking[],
    others: Ranking[],
    by: string,
  ) => Record<string, { points: number; low: number; high: number }>;
  formatDifference: (each: { points: number; low: number; high: number }) => string;
};

describe('differences', () => {
  const found = { ranked: ['a'], relevant: ['a'] };
  const missed = { ranked: ['x'], relevant: ['a'] };
  const half = (first: Ranking, second: Ranking) =>
    Array.from({ length: 100 }, (_, at) => (at % 2 === 0 ? first : second));

  it('are in points, with an interval over the questions', () => {
    const better = differences(half(found, missed), half(missed, missed), 'hits')['hit@1'];
    expect(better?.points).toBe(50);
    // The standard error of 100 questions, half of them gained, is five points.
    expect(better?.low).toBeGreaterThan(36);
    expect(better?.low).toBeLessThan(44);
    expect(better?.high).toBeGreaterThan(56);
    expect(better?.high).toBeLessThan(64);
    const same = differences(half(found, missed), half(found, missed), 'hits')['hit@1'];
    expect(same).toEqual({ points: 0, low: 0, high: 0 });
  });

  it('are printed with their signs', () => {
    expect(formatDifference({ points: 2, low: -0.66, high: 4.7 })).toBe('+2.0 [−0.7, +4.7]');
    expect(formatDifference({ points: -0.04, low: -12, high: 0 })).toBe('+0.0 [−12.0, +0.0]');
  });
});

describe('BM25 of whole sources', () => {
  const source = (id: string, name: string, text: string, scope = 'one') => ({ id, name, text, scope });

  it('ranks by words without stop words, the name counts, and a scope restricts', () => {
    const whole = new WholeSources([
      source('a', 'notes.md', 'the oven is cold'),
      source('b', 'oven.md', 'nothing else here'),
      source('c', 'other.md', 'ovens and more ovens', 'two'),
    ]);
    expect(whole.rank('where is the oven?')[0]).toBe('b');
    expect(whole.rank('oven', 'two')).toEqual(['c']);
    expect(whole.rank('where is the')).toEqual(['a']);
    expect(whole.rank('…')).toEqual([]);
  });

  const set = loadDocsDev();
  it.skipIf(set === undefined)('has the figures of the documents in ../shared', () => {
    const { sources = [], questions = [] } = set ?? {};
    const whole = new WholeSources(sources);
    const figures = (own: boolean) => {
      const ranked = questions.map(({ text, project }) => whole.rank(text, own ? project : undefined));
      const mean = (of: Measure, k: number) =>
        questions.reduce((sum, { files }, at) => sum + of(ranked[at] ?? [], files, k), 0) / questions.length;
      return [mean(hit, 1), mean(hit, 5), mean(hit, 10), mean(reciprocal, 100)].map((each) =>
        each.toFixed(3),
      );
    };
    expect(figures(true)).toEqual(['0.633', '0.847', '0.893', '0.728']);
    expect(figures(false)).toEqual(['0.567', '0.760', '0.840', '0.661']);
  });
});

describe('short sources', () => {
  interface Short {
    questions: { text: string; answer: string; kind: string }[];
    sessions: { id: string; turns: string[] }[];
    documents: { path: string; text: string }[];
    entries: { id: string; text: string }[];
    drawers: { id: string; text: string }[];
  }
  const set: Short = (shortSources as { loadShortSources: () => Short }).loadShortSources();
  const long = distractors as {
    longDocuments: () => { path: string; text: string }[];
    longSessions: () => { turns: string[] }[];
  };

  it('answer different questions, and have names of their own', () => {
    const texts = set.questions.map(({ text }) => text);
    expect(new Set(texts).size).toBe(texts.length);
    expect(texts.length).toBeGreaterThanOrEqual(60);
    const ids = [...set.sessions, ...set.entries, ...set.drawers].map(({ id }) => id);
    const names = [...ids, ...set.documents.map(({ path }) => path)];
    expect(new Set(names).size).toBe(names.length);
    for (const { answer } of set.questions) expect(names).toContain(answer);
  });

  it('are short, and the others long', () => {
    const answers = new Set(set.questions.map(({ answer }) => answer));
    const short = [
      ...set.sessions.filter(({ id }) => answers.has(id)).map(({ turns: said }) => said.join('\n')),
      ...set.documents.filter(({ path }) => answers.has(path)).map(({ text }) => text),
      ...[...set.entries, ...set.drawers].map(({ text }) => text),
    ];
    expect(Math.max(...short.map(({ length }) => length))).toBeLessThan(500);
    const others = [
      ...long.longDocuments().map(({ text }) => text),
      ...long.longSessions().map(({ turns: said }) => said.join('\n')),
    ];
    expect(Math.min(...others.map(({ length }) => length))).toBeGreaterThan(5_000);
    expect(long.longDocuments()).toEqual(long.longDocuments());
  });
});

describe('summaries by rules', () => {
  const { extracts } = extract as { extracts: (texts: string[]) => string[] };

  it('are the telling sentences of a text, as they are and in their order', () => {
    const filler = Array.from({ length: 20 }, () => 'We talked about it for a while today.').join(' ');
    const telling = [
      'The marmot crossed the glacier before dawn.',
      'A lighthouse guided every marmot home again.',
    ];
    const [first = '', second = ''] = extracts([`${telling[0]} ${filler} ${telling[1]} Hi!`, filler]);
    const sentences = first.split('\n');
    expect(sentences.length).toBe(8);
    expect(sentences.filter((each) => telling.includes(each))).toEqual(telling);
    expect(sentences).not.toContain('Hi!');
    expect(filler).toContain(second.split('\n')[0]);
  });
});
