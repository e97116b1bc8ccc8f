import {
  type Condition,
  type DrawerView,
  hasToken,
  type Palace,
  type QueryTerm,
  splitByScript,
} from '../store/index.js';
import type { Query } from './query.js';

/** A drawer that may answer the question, with both exact scores. */
export interface Candidate {
  drawer: DrawerView;
  bm25: number;
  /** Cosine of question and drawer, 0–1. */
  semantic: number;
  /** Its place among the candidates of either half, from 0; undefined when that half did not find it. */
  places: { lexical?: number; semantic?: number };
}

/** What a look into both halves gave. */
interface Found {
  candidates: Candidate[];
  /** A wider look would give no more. */
  isAll: boolean;
}

/**
 * Words are looked up from the rarest on, until they have stood in so many drawers together: a common word
 * costs a walk over most of the index and tells little. (100,000 drawers: 12 ms instead of 92.)
 */
const POSTINGS = 40_000;
/** Below this share of all drawers a word is not common, however many they are. */
const RARE_SHARE = 0.02;
/** When every word is common, so many of the rarest. */
const COMMON_WORDS = 4;
/** Drawers of identical text that one vector may bring in. */
const COPIES = 5;
/** A half that finds enough among so many times as many without a filter spares the filter's walk. */
const UNFILTERED_FACTOR = 4;
/** Phrases are checked letter by letter among so many at first, and more only while too few hold them. */
const PHRASE_CANDIDATES = 2_000;

/** Looks a question up in one state of the palace: all calls must happen in one snapshot. */
export class Lookup {
  readonly #palace: Palace;
  readonly #query: Query;
  readonly #vector: Float32Array | undefined;
  /** The question's words, those of its phrases among them. */
  readonly #terms: QueryTerm[];
  /** Of every vector that was compared already. */
  readonly #cosines = new Map<number, number>();

  /** @param vector of the question; undefined: by words alone, and every `semantic` is 0 */
  constructor(palace: Palace, query: Query, vector: Float32Array | undefined) {
    this.#palace = palace;
    this.#query = query;
    this.#vector = vector;
    const begun = query.beginnings.flatMap((start) => palace.lexical.tokensFrom(start));
    this.#terms = palace.lexical.terms([...query.words, ...begun]);
  }

  /**
   * The best of both halves, by words and by meaning, each member of the union scored exactly by both.
   *
   * @param count candidates from each half, at least 1
   */
  find(count: number, among: Condition | undefined): Found {
    const places = new Map<number, Candidate['places']>();
    const drawers = new Map<number, DrawerView>();
    const note = (drawer: DrawerView, half: 'lexical' | 'semantic', place: number): void => {
      drawers.set(drawer.id, drawer);
      places.set(drawer.id, { ...places.get(drawer.id), [half]: place });
    };
    const telling = tellingWords(this.#terms, this.#palace.lexical.size());
    const worded = byWords(this.#palace, this.#query, telling, count, among);
    worded.forEach((drawer, place) => {
      note(drawer, 'lexical', place);
    });
    const near =
      this.#vector === undefined ? [] : byMeaning(this.#palace, this.#vector, count, among, this.#cosines);
    near.forEach((drawer, place) => {
      if (holdsAll(drawer, this.#query.phrases)) note(drawer, 'semantic', place);
    });
    return {
      candidates: this.#score(this.#allowed([...drawers.values()]), places),
      // What holds a phrase is found by its words, all of it.
      isAll: worded.length < count && (this.#query.phrases.length > 0 || near.length < count),
    };
  }

  /** BM25 of any drawers, by row id. */
  bm25(drawers: readonly DrawerView[]): Map<number, number> {
    return this.#palace.lexical.scores(this.#terms, drawers);
  }

  #allowed(drawers: readonly DrawerView[]): DrawerView[] {
    const { excluded } = this.#query;
    const unwanted = this.#palace.lexical.holding(excluded, drawers);
    const signs = excluded.filter((text) => !hasToken(text));
    return drawers.filter((drawer) => !unwanted.has(drawer.id) && !signs.some((sign) => holds(drawer, sign)));
  }

  #score(drawers: readonly DrawerView[], places: Map<number, Candidate['places']>): Candidate[] {
    if (this.#vector !== undefined) {
      const unknown = drawers.map((drawer) => drawer.vectorId).filter((id) => !this.#cosines.has(id));
      for (const [id, cosine] of this.#palace.vectors.cosines(this.#vector, unknown))
        this.#cosines.set(id, cosine);
    }
    const bm25 = this.bm25(drawers);
    return drawers.map((drawer) => ({
      drawer,
      bm25: bm25.get(drawer.id) ?? 0,
      semantic: Math.min(1, Math.max(0, this.#cosines.get(drawer.vectorId) ?? 0)),
      places: places.get(drawer.id) ?? {},
    }));
  }

  /** Of each text, how much of the question its words are: the rarer they are in the palace, the more. */
  weigh(texts: readonly string[]): number[] {
    return this.#palace.lexical.weigh(this.#terms, texts);
  }
}

function byWords(
  palace: Palace,
  { phrases, excluded }: Query,
  words: readonly string[],
  count: number,
  among: Condition | undefined,
): DrawerView[] {
  const find = (limit: number, filter?: Condition): number[] =>
    palace.lexical.candidates({ words, phrases, excluded }, limit, filter);
  if (phrases.length > 0) {
    const [sign] = phrases.some(hasToken) ? [] : phrases;
    const look = (limit: number): number[] =>
      sign === undefined ? find(limit, among) : palace.lexical.containing(sign, limit, among);
    for (let limit = PHRASE_CANDIDATES; ; limit *= 8) {
      const ids = look(limit);
      const drawers = palace.drawersById(ids).filter((drawer) => holdsAll(drawer, phrases));
      if (drawers.length >= count || ids.length < limit) return drawers.slice(0, count);
    }
  }
  if (among === undefined) return palace.drawersById(find(count));
  const ids = find(count * UNFILTERED_FACTOR);
  const drawers = palace.drawersById(ids, among);
  if (drawers.length >= count || ids.length < count * UNFILTERED_FACTOR) return drawers.slice(0, count);
  return palace.drawersById(find(count, among));
}

/** @param cosines receives the similarity of every vector that was compared */
function byMeaning(
  palace: Palace,
  vector: Float32Array,
  count: number,
  among: Condition | undefined,
  cosines: Map<number, number>,
): DrawerView[] {
  const find = (limit: number, mask?: Uint8Array): DrawerView[] =>
    palace.vectors.nearest(vector, limit, mask).flatMap(({ vectorId, cosine }) => {
      cosines.set(vectorId, cosine);
      return palace.drawersByVector(vectorId, COPIES, among);
    });
  if (among === undefined) return find(count);
  const drawers = find(count * UNFILTERED_FACTOR);
  if (drawers.length >= count) return drawers.slice(0, count);
  return find(count, palace.vectorsAmong(among));
}

/** The words worth looking candidates up by. */
function tellingWords(terms: readonly QueryTerm[], drawers: number): string[] {
  const known = terms.filter((term) => term.drawers > 0).sort((a, b) => a.drawers - b.drawers);
  let postings = 0;
  const telling = known.filter((term, index) => {
    postings += term.drawers;
    return index === 0 || postings <= POSTINGS || term.drawers <= drawers * RARE_SHARE;
  });
  return (telling.length > 1 ? telling : known.slice(0, COMMON_WORDS)).map((term) => term.word);
}

/** Whether a drawer holds every phrase in its text, title, context or place, letter for letter. */
function holdsAll(drawer: DrawerView, phrases: readonly string[]): boolean {
  return phrases.every((phrase) => holds(drawer, phrase));
}

function holds({ text, title, context, place }: DrawerView, phrase: string): boolean {
  const wanted = levelled(phrase);
  return [text, title, context, place].some((held) => standsIn(wanted, levelled(held)));
}

/** Whether a text holds a phrase that neither begins nor ends within a word. */
function standsIn(phrase: string, text: string): boolean {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (!isWithinWord(text, at) && !isWithinWord(text, end)) return true;
  }
  return false;
}

/** Whether a word of a script with spaces goes on over this place. */
function isWithinWord(text: string, at: number): boolean {
  const before = /[\p{L}\p{N}\p{M}]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0];
  const behind = /^[\p{L}\p{N}\p{M}]/u.exec(text.slice(at, at + 2))?.[0];
  if (before === undefined || behind === undefined) return false;
  return splitByScript(before + behind).every((part) => !part.unspaced);
}

function levelled(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ');
}
