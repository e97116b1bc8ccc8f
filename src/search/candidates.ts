import {
  type Condition,
  type DrawerView,
  EVERYTHING,
  hasToken,
  type LexicalScore,
  type Neighbour,
  type Palace,
  type QueryTerm,
  type Selection,
  splitByScript,
} from '../store/index.js';
import type { Query } from './query.js';
import { selectQueryTerms } from './query-terms.js';

/** A drawer that may answer the question, with its scores. */
export interface Candidate extends LexicalScore {
  drawer: DrawerView;
  /** Cosine similarity of question and drawer, clamped to 0–1. */
  semantic: number;
  /** Rank in the lexical and semantic results, from 0; undefined where it was not found. */
  places: { lexical?: number; semantic?: number };
}

const NO_WORD: LexicalScore = { bm25: 0, words: 0 };
/** Drawers of identical text that one vector adds, at most. */
const COPIES = 5;
/**
 * A filter that matches at least 1/BROAD of the drawers is applied after the search, to BROAD times the candidates:
 * collecting all matching drawers costs more.
 */
const BROAD = 4;
/** Up to this many drawers, all that contain one of the words are scored. */
const NARROW = 5_000;
/** Words and white space only. */
const WORDS = /^[\p{L}\p{N}\p{M}\s]+$/u;
/** Drawers first checked for exact phrases. The number grows while too few contain them. */
const PHRASE_CANDIDATES = 2_000;

/** Looks up a question. All calls must happen in one snapshot of the palace. */
export class Lookup {
  /** Words match in all their forms; texts with symbols, such as `c++`, match exactly. */
  readonly #excluded: { words: string[]; texts: string[] };
  readonly #isBroad: boolean;
  #selection: Selection | undefined;
  /** The question's words, including those of its phrases. */
  readonly #terms: QueryTerm[];
  /** What every candidate contains. */
  #phrases: readonly string[];
  /** Cosines by vector id, for all vectors compared so far. */
  readonly #cosines = new Map<number, number>();

  /**
   * @param vector of the question; undefined: search by words alone, every `semantic` is 0
   * @param among condition that candidates must meet
   */
  constructor(
    readonly palace: Palace,
    private readonly query: Query,
    private readonly vector: Float32Array | undefined,
    private readonly among: Condition,
  ) {
    this.#excluded = {
      words: query.excluded.filter((text) => WORDS.test(text)),
      texts: query.excluded.filter((text) => !WORDS.test(text)),
    };
    this.#isBroad = among !== EVERYTHING && (palace.reading.shareOf(among) ?? 0) * BROAD >= 1;
    const begun = query.beginnings.flatMap((start) => palace.lexical.tokensFrom(start));
    this.#terms = palace.lexical.terms([...query.words, ...begun]);
    this.#phrases = query.phrases;
  }

  /** The question's phrases, once `find` has found no drawer that contains all of them; else empty. */
  get absent(): readonly string[] {
    return this.#phrases.length === this.query.phrases.length ? [] : this.query.phrases;
  }

  /**
   * Finds the best drawers by words and by meaning, and scores each by both. If no drawer contains all phrases, their
   * words are looked up instead, as long as the palace contains a word of the question.
   *
   * @param count candidates by words and by meaning each, at least 1
   * @returns `isAll`: a larger count would find no more
   */
  find(count: number): { candidates: Candidate[]; isAll: boolean } {
    const found = this.#find(count);
    const isKnown = this.#terms.some((term) => term.drawers > 0);
    if (found.candidates.length > 0 || this.#phrases.length === 0 || !isKnown) return found;
    this.#phrases = [];
    return this.#find(count);
  }

  #find(count: number): { candidates: Candidate[]; isAll: boolean } {
    const places = new Map<number, Candidate['places']>();
    const drawers = new Map<number, DrawerView>();
    const note = (drawer: DrawerView, half: 'lexical' | 'semantic', place: number): void => {
      drawers.set(drawer.id, drawer);
      places.set(drawer.id, { ...places.get(drawer.id), [half]: place });
    };
    const worded = this.#byWords(count);
    worded.forEach((drawer, place) => {
      note(drawer, 'lexical', place);
    });
    const near = this.#byMeaning(count);
    near.forEach((drawer, place) => {
      if (containsAll(drawer, this.#phrases)) note(drawer, 'semantic', place);
    });
    return {
      candidates: this.#score(this.#withoutExcluded([...drawers.values()]), places),
      // The lookup by words finds all drawers with a phrase.
      isAll: worded.length < count && (this.#phrases.length > 0 || near.length < count),
    };
  }

  #byWords(count: number): DrawerView[] {
    const phrases = this.#phrases;
    if (phrases.length > 0) {
      const [sign] = phrases.some(hasToken) ? [] : phrases;
      const among = this.#isBroad ? undefined : this.#allowed()?.ids;
      const look = (limit: number): number[] =>
        sign === undefined
          ? this.#lookUp(limit, among)
          : this.palace.lexical.containing(sign, limit, this.among);
      for (let limit = PHRASE_CANDIDATES; ; limit *= 8) {
        const ids = look(limit);
        const drawers = this.palace.reading
          .drawersById(ids, this.among)
          .filter((drawer) => containsAll(drawer, phrases));
        if (drawers.length >= count || ids.length < limit) return drawers.slice(0, count);
      }
    }
    if (this.#isBroad) {
      const ids = this.#lookUp(count * BROAD);
      const drawers = this.palace.reading.drawersById(ids, this.among);
      if (drawers.length >= count || ids.length < count * BROAD) return drawers.slice(0, count);
    }
    return this.palace.reading.drawersById(this.#lookUp(count, this.#allowed()?.ids));
  }

  /** Row ids of the drawers that match the words best. */
  #lookUp(limit: number, among?: readonly number[]): number[] {
    const { lexical } = this.palace;
    const phrases = this.#phrases;
    const excluded = this.#excluded.words;
    const size = lexical.size();
    const allowed = among?.length ?? size;
    const inAll = allowed === 0 ? limit : Math.ceil((limit * size) / allowed);
    const { words, gate } = selectQueryTerms(this.#terms, size, inAll);
    // A phrase or a narrow filter leaves few drawers to score.
    if (gate !== undefined && phrases.length === 0 && allowed > NARROW) {
      const ids = lexical.candidates({ words, gate, excluded }, limit, among);
      if (ids.length === limit) return ids;
    }
    return lexical.candidates({ words, phrases, excluded }, limit, among);
  }

  #byMeaning(count: number): DrawerView[] {
    if (this.vector === undefined) return [];
    const { vectors } = this.palace;
    if (this.#isBroad) {
      const nearest = vectors.nearest(this.vector, count * BROAD);
      const drawers = this.#drawersOf(nearest, count);
      if (drawers.length >= count || nearest.length < count * BROAD) return drawers;
    }
    return this.#drawersOf(vectors.nearest(this.vector, count, this.#allowed()?.vectors), count);
  }

  /** The drawers of the nearest vectors: of the first `count` vectors with drawers that the filter allows. */
  #drawersOf(nearest: readonly Neighbour[], count: number): DrawerView[] {
    const drawers: DrawerView[] = [];
    let filled = 0;
    for (const { vectorId, cosine } of nearest) {
      const own = this.palace.reading.drawersByVector(vectorId, COPIES, this.among);
      this.#cosines.set(vectorId, cosine);
      drawers.push(...own);
      if (own.length > 0) filled += 1;
      if (filled === count) break;
    }
    return drawers;
  }

  /** The drawers that the filter allows; undefined without a filter. Computed once. */
  #allowed(): Selection | undefined {
    if (this.among !== EVERYTHING) this.#selection ??= this.palace.reading.select(this.among);
    return this.#selection;
  }

  /** By row id. */
  lexicalScores(drawers: readonly DrawerView[]): Map<number, LexicalScore> {
    return this.palace.lexical.scores(this.#terms, drawers);
  }

  /** Of the whole sources of some drawers, by source id; and the number of drawers in each. */
  sourceScores(drawers: readonly DrawerView[]): {
    scores: Map<number, number>;
    drawers: Map<number, number>;
  } {
    const rows = this.palace.reading.rowsOf([...new Set(drawers.map(({ sourceId }) => sourceId))]);
    return {
      scores: this.palace.lexical.sourceScores(this.#terms, rows),
      drawers: new Map([...rows].map(([source, ids]) => [source, ids.length])),
    };
  }

  #withoutExcluded(drawers: readonly DrawerView[]): DrawerView[] {
    const { words, texts } = this.#excluded;
    const unwanted = this.palace.lexical.containingAny(words, drawers);
    return drawers.filter(
      (drawer) => !unwanted.has(drawer.id) && !texts.some((text) => contains(drawer, text)),
    );
  }

  #score(drawers: readonly DrawerView[], places: Map<number, Candidate['places']>): Candidate[] {
    if (this.vector !== undefined) {
      const unknown = drawers.map((drawer) => drawer.vectorId).filter((id) => !this.#cosines.has(id));
      for (const [id, cosine] of this.palace.vectors.cosines(this.vector, unknown))
        this.#cosines.set(id, cosine);
    }
    const lexical = this.lexicalScores(drawers);
    return drawers.map((drawer) => ({
      drawer,
      ...(lexical.get(drawer.id) ?? NO_WORD),
      semantic: Math.min(1, Math.max(0, this.#cosines.get(drawer.vectorId) ?? 0)),
      places: places.get(drawer.id) ?? {},
    }));
  }

  /** Per text the share of the question's words in it; rarer words count more. */
  weigh(texts: readonly string[]): number[] {
    return this.palace.lexical.weigh(this.#terms, texts);
  }
}

/** Whether a drawer contains every phrase in its text, title, context or place, exactly. */
function containsAll(drawer: DrawerView, phrases: readonly string[]): boolean {
  return phrases.every((phrase) => contains(drawer, phrase));
}

function contains({ text, title, context, place }: DrawerView, phrase: string): boolean {
  const wanted = normalized(phrase);
  return [text, title, context, place].some((field) => containsPhrase(normalized(field), wanted));
}

/** Whether a text contains a phrase that begins and ends at word boundaries. */
function containsPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at !== -1; at = text.indexOf(phrase, at + 1)) {
    const end = at + phrase.length;
    if (!isWithinWord(text, at) && !isWithinWord(text, end)) return true;
  }
  return false;
}

/** Whether a position is inside a word of a script with spaces. */
function isWithinWord(text: string, at: number): boolean {
  const before = /[\p{L}\p{N}\p{M}]$/u.exec(text.slice(Math.max(0, at - 2), at))?.[0];
  const after = /^[\p{L}\p{N}\p{M}]/u.exec(text.slice(at, at + 2))?.[0];
  if (before === undefined || after === undefined) return false;
  return splitByScript(before + after).every((part) => !part.unspaced);
}

function normalized(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/gu, ' ');
}
