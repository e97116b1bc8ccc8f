import { groupBy } from '../core/group-by.js';
import { asVersion } from '../core/words.js';
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
} from '../store/index.js';
import { contains, containsAll } from './phrases.js';
import { knownWords, type Query } from './query.js';
import { selectQueryTerms } from './query-terms.js';

/** A drawer that may answer the question, with its scores. */
export interface Candidate extends LexicalScore {
  drawer: DrawerView;
  /** Cosine similarity of question and drawer, clamped to 0–1; undefined without a vector of both. */
  semantic: number | undefined;
  /** Rank in the lexical and semantic results, from 0; undefined where it was not found. */
  places: { lexical?: number; semantic?: number };
}

const NO_WORD: LexicalScore = { bm25: 0, words: 0 };

/** Candidates of a question. */
interface Candidates {
  candidates: Candidate[];
  /** Row ids of the preferred ones. */
  here: Set<number>;
  /** A larger count would find no more. */
  isAll: boolean;
}

/** Drawers of identical text that one vector adds, at most. */
const COPIES = 5;
/**
 * A filter that matches at least 1/BROAD of the drawers is applied after the search, to BROAD times the candidates:
 * collecting all matching drawers costs more.
 */
const BROAD = 4;
/** Up to this many drawers, all that contain one of the words are scored. */
const NARROW = 5_000;
/** With at least this many candidates of the preferred projects, no more of them are looked for, … */
const ENOUGH = 20;
/** … otherwise up to this many by words and by meaning each, … */
const PREFERRED = 10;
/** … among this many best drawers by each: a second lookup would take as long as the first. */
const REACH = 400;
/** Words, versions and white space only. */
const WORDS = /^[\p{L}\p{N}\p{M}\p{Co}\s]+$/u;
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
  /** Cosines by vector id, for all vectors compared so far: a larger count compares only the others. */
  readonly #cosines = new Map<number, number>();
  /** The drawers of the nearest vectors so far. */
  readonly #byVector = new Map<number, DrawerView[]>();

  /**
   * @param vector of the question; undefined: search by words alone
   * @param among condition that candidates must meet
   * @param preferred condition of candidates that are preferred, `among` included
   */
  constructor(
    readonly palace: Palace,
    private readonly query: Query,
    private readonly vector: Float32Array | undefined,
    private readonly among: Condition,
    private readonly preferred?: Condition,
  ) {
    this.#excluded = {
      words: query.excluded.map((text) => asVersion(text) ?? text).filter((text) => WORDS.test(text)),
      // Of several words, some may be in another form in the text: the index does not have them in their order.
      texts: query.excluded.filter((text) => !WORDS.test(text) || /\s/u.test(text)),
    };
    this.#isBroad = among !== EVERYTHING && (palace.reading.shareOf(among) ?? 0) * BROAD >= 1;
    const begun = query.beginnings.flatMap((start) => palace.lexical.tokensFrom(start));
    const words = knownWords(query, (word) => palace.lexical.isKnown(word));
    this.#terms = palace.lexical.terms([...words, ...begun]);
    this.#phrases = query.phrases;
  }

  /** The question's phrases, once `find` has found no drawer that contains all of them; else empty. */
  get absent(): readonly string[] {
    return this.#phrases.length === this.query.phrases.length ? [] : this.query.phrases;
  }

  /**
   * Finds the best drawers by words and by meaning, and scores each by both. If no drawer contains all phrases, their
   * words are looked up instead, as long as an allowed drawer contains a word of the question.
   *
   * @param count candidates by words and by meaning each, at least 1
   */
  find(count: number): Candidates {
    const found = this.#find(count);
    if (found.candidates.length > 0 || this.#phrases.length === 0 || !this.#isKnown()) return found;
    this.#phrases = [];
    return this.#find(count);
  }

  /** Whether a drawer that the filter allows contains a word of the question. */
  #isKnown(): boolean {
    const words = this.#terms.filter(({ drawers }) => drawers > 0).map(({ word }) => word);
    if (words.length === 0 || this.among === EVERYTHING) return words.length > 0;
    return this.palace.lexical.candidates({ words }, 1, this.#allowed()?.ids).length > 0;
  }

  #find(count: number): Candidates {
    const places = new Map<number, Candidate['places']>();
    const drawers = new Map<number, DrawerView>();
    const note = (drawer: DrawerView, half: 'lexical' | 'semantic', place: number): void => {
      drawers.set(drawer.id, drawer);
      places.set(drawer.id, { ...places.get(drawer.id), [half]: place });
    };
    const worded = this.#byWords(count);
    worded.drawers.forEach((drawer, place) => {
      note(drawer, 'lexical', place);
    });
    const near = this.#byMeaning(count);
    near.drawers.forEach((drawer, place) => {
      if (containsAll(drawer, this.#phrases)) note(drawer, 'semantic', place);
    });
    const here = this.#preferredOf('id', [...drawers.keys()]);
    if (here.length < ENOUGH && this.#phrases.length === 0) {
      const more = [
        ['lexical', this.#preferredOf('id', worded.beyond, PREFERRED)],
        ['semantic', this.#preferredOf('vector_id', near.beyond, PREFERRED)],
      ] as const;
      for (const [half, ids] of more) {
        here.push(...ids);
        this.palace.reading.drawersById(ids).forEach((drawer, place) => {
          note(drawer, half, count + place);
        });
      }
    }
    return {
      candidates: this.#score(this.#withoutExcluded([...drawers.values()]), places),
      here: new Set(here),
      // The lookup by words finds all drawers with a phrase.
      isAll: worded.drawers.length < count && (this.#phrases.length > 0 || near.drawers.length < count),
    };
  }

  /** Row ids of preferred drawers, best first. */
  #preferredOf(by: 'id' | 'vector_id', ids: readonly number[], limit?: number): number[] {
    if (this.preferred === undefined || ids.length === 0) return [];
    return this.palace.reading.allowed(by, ids, this.preferred, limit);
  }

  /** How far beyond the first `count` a lookup reaches. */
  #reach(count: number): number {
    return this.preferred === undefined ? count : Math.max(count, REACH);
  }

  /** `beyond`: row ids of the next best, where nothing but the words is asked for. */
  #byWords(count: number): { drawers: DrawerView[]; beyond: number[] } {
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
        if (drawers.length >= count || ids.length < limit)
          return { drawers: drawers.slice(0, count), beyond: [] };
      }
    }
    if (this.#isBroad) {
      const ids = this.#lookUp(count * BROAD);
      const drawers = this.palace.reading.drawersById(ids, this.among);
      if (drawers.length >= count || ids.length < count * BROAD) {
        const first = drawers.slice(0, count);
        const known = new Set(first.map(({ id }) => id));
        return { drawers: first, beyond: ids.filter((id) => !known.has(id)) };
      }
    }
    const ids = this.#lookUp(count, this.#allowed()?.ids, this.#reach(count));
    return { drawers: this.palace.reading.drawersById(ids.slice(0, count)), beyond: ids.slice(count) };
  }

  /** Row ids of the drawers that match the words best. @param reach how many, at least `limit` */
  #lookUp(limit: number, among?: readonly number[], reach = limit): number[] {
    const { lexical } = this.palace;
    const phrases = this.#phrases;
    const excluded = this.#excluded.words;
    const size = lexical.size();
    const allowed = among?.length ?? size;
    const inAll = allowed === 0 ? limit : Math.ceil((limit * size) / allowed);
    const { words, gate } = selectQueryTerms(this.#terms, size, inAll);
    // A phrase or a narrow filter leaves few drawers to score.
    if (gate !== undefined && phrases.length === 0 && allowed > NARROW) {
      const ids = lexical.candidates({ words, gate, excluded }, reach, among);
      if (ids.length >= limit) return ids;
    }
    return lexical.candidates({ words, phrases, excluded }, reach, among);
  }

  /** `beyond`: ids of the next vectors. */
  #byMeaning(count: number): { drawers: DrawerView[]; beyond: number[] } {
    if (this.vector === undefined) return { drawers: [], beyond: [] };
    const { vectors } = this.palace;
    if (this.#isBroad) {
      const nearest = vectors.nearest(this.vector, count * BROAD, undefined, undefined, this.#cosines);
      const drawers = this.#drawersOf(nearest, count);
      if (drawers.length >= count || nearest.length < count * BROAD) {
        const known = new Set(drawers.map(({ vectorId }) => vectorId));
        const beyond = nearest.map(({ vectorId }) => vectorId).filter((id) => !known.has(id));
        return { drawers, beyond };
      }
    }
    const nearest = vectors.nearest(
      this.vector,
      count,
      this.#allowed()?.vectors,
      this.#reach(count),
      this.#cosines,
    );
    const beyond = nearest.slice(count).map(({ vectorId }) => vectorId);
    return { drawers: this.#drawersOf(nearest.slice(0, count), count), beyond };
  }

  /** The drawers of the nearest vectors: of the first `count` vectors with drawers that the filter allows. */
  #drawersOf(nearest: readonly Neighbour[], count: number): DrawerView[] {
    const drawers: DrawerView[] = [];
    let filled = 0;
    for (let at = 0; at < nearest.length && filled < count; ) {
      const next = nearest.slice(at, at + count - filled).map(({ vectorId }) => vectorId);
      at += next.length;
      const unread = next.filter((id) => !this.#byVector.has(id));
      const read = groupBy(
        this.palace.reading.drawersByVector(unread, COPIES, this.among),
        ({ vectorId }) => vectorId,
      );
      for (const id of unread) this.#byVector.set(id, read.get(id) ?? []);
      for (const id of next) {
        const own = this.#byVector.get(id) ?? [];
        drawers.push(...own);
        if (own.length > 0) filled += 1;
      }
    }
    return drawers;
  }

  /** The drawers that the filter allows; undefined without a filter. Computed once. */
  #allowed(): Selection | undefined {
    if (this.among !== EVERYTHING) this.#selection ??= this.palace.reading.select(this.among);
    return this.#selection;
  }

  /** Number of sources that the filter allows, at most `most`. */
  countSources(most: number): number {
    return this.palace.reading.countSources(this.among, most);
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
    return drawers.map((drawer) => {
      const cosine = this.#cosines.get(drawer.vectorId);
      return {
        drawer,
        ...(lexical.get(drawer.id) ?? NO_WORD),
        semantic: cosine === undefined ? undefined : Math.min(1, Math.max(0, cosine)),
        places: places.get(drawer.id) ?? {},
      };
    });
  }

  /** Which share of the question's words each drawer contains. */
  covered(drawers: readonly DrawerView[]): number[] {
    return this.palace.lexical.covered(this.#terms, drawers);
  }

  /** Per text the share of the question's words in it; rarer words count more. */
  weigh(texts: readonly string[]): number[] {
    return this.palace.lexical.weigh(this.#terms, texts);
  }
}
