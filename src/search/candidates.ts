import {
  type Condition,
  type DrawerView,
  hasToken,
  type Neighbour,
  type Palace,
  type QueryTerm,
  type Selection,
  splitByScript,
} from '../store/index.js';
import type { Query } from './query.js';
import { selectQueryTerms } from './query-terms.js';

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

/** Drawers of identical text that one vector may bring in. */
const COPIES = 5;
/**
 * A filter that lets one in so many through is looked at after the search, among so many times the candidates:
 * to gather all that it allows costs more.
 */
const BROAD = 4;
/** Of no more drawers all that hold one of the words are scored. */
const NARROW = 5_000;
/** Nothing but words and what stands between them. */
const WORDS = /^[\p{L}\p{N}\p{M}\s]+$/u;
/** Phrases are checked letter by letter among so many at first, and more only while too few hold them. */
const PHRASE_CANDIDATES = 2_000;

/** Looks a question up in one state of the palace: all calls must happen in one snapshot. */
export class Lookup {
  readonly #palace: Palace;
  readonly #query: Query;
  readonly #vector: Float32Array | undefined;
  readonly #among: Condition | undefined;
  /** Words in all their forms; texts with signs, such as `c++`, letter for letter. */
  readonly #excluded: { words: string[]; texts: string[] };
  readonly #isBroad: boolean;
  #selection: Selection | undefined;
  /** The question's words, those of its phrases among them. */
  readonly #terms: QueryTerm[];
  /** Of every vector that was compared already. */
  readonly #cosines = new Map<number, number>();

  /**
   * @param vector of the question; undefined: by words alone, and every `semantic` is 0
   * @param among what candidates must fulfil
   */
  constructor(palace: Palace, query: Query, vector: Float32Array | undefined, among: Condition | undefined) {
    this.#palace = palace;
    this.#query = query;
    this.#vector = vector;
    this.#among = among;
    this.#excluded = {
      words: query.excluded.filter((text) => WORDS.test(text)),
      texts: query.excluded.filter((text) => !WORDS.test(text)),
    };
    this.#isBroad = among !== undefined && (palace.reading.shareOf(among) ?? 0) * BROAD >= 1;
    const begun = query.beginnings.flatMap((start) => palace.lexical.tokensFrom(start));
    this.#terms = palace.lexical.terms([...query.words, ...begun]);
  }

  /**
   * The best of both halves, by words and by meaning, each member of the union scored exactly by both.
   *
   * @param count candidates from each half, at least 1
   */
  find(count: number): Found {
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
      if (holdsAll(drawer, this.#query.phrases)) note(drawer, 'semantic', place);
    });
    return {
      candidates: this.#score(this.#withoutExcluded([...drawers.values()]), places),
      // What holds a phrase is found by its words, all of it.
      isAll: worded.length < count && (this.#query.phrases.length > 0 || near.length < count),
    };
  }

  #byWords(count: number): DrawerView[] {
    const { phrases } = this.#query;
    if (phrases.length > 0) {
      const [sign] = phrases.some(hasToken) ? [] : phrases;
      const among = this.#isBroad ? undefined : this.#allowed()?.ids;
      const look = (limit: number): number[] =>
        sign === undefined
          ? this.#lookUp(limit, among)
          : this.#palace.lexical.containing(sign, limit, this.#among);
      for (let limit = PHRASE_CANDIDATES; ; limit *= 8) {
        const ids = look(limit);
        const drawers = this.#palace.reading
          .drawersById(ids, this.#among)
          .filter((drawer) => holdsAll(drawer, phrases));
        if (drawers.length >= count || ids.length < limit) return drawers.slice(0, count);
      }
    }
    if (this.#isBroad) {
      const ids = this.#lookUp(count * BROAD);
      const drawers = this.#palace.reading.drawersById(ids, this.#among);
      if (drawers.length >= count || ids.length < count * BROAD) return drawers.slice(0, count);
    }
    return this.#palace.reading.drawersById(this.#lookUp(count, this.#allowed()?.ids));
  }

  /** Row ids of the drawers that fit the words best. */
  #lookUp(limit: number, among?: readonly number[]): number[] {
    const { lexical } = this.#palace;
    const { phrases } = this.#query;
    const excluded = this.#excluded.words;
    const size = lexical.size();
    const allowed = among?.length ?? size;
    const inAll = allowed === 0 ? limit : Math.ceil((limit * size) / allowed);
    const { words, gate } = selectQueryTerms(this.#terms, size, inAll);
    // A phrase or a narrow filter leaves few to score.
    if (gate !== undefined && phrases.length === 0 && allowed > NARROW) {
      const ids = lexical.candidates({ words, gate, excluded }, limit, among);
      if (ids.length === limit) return ids;
    }
    return lexical.candidates({ words, phrases, excluded }, limit, among);
  }

  #byMeaning(count: number): DrawerView[] {
    if (this.#vector === undefined) return [];
    const { vectors } = this.#palace;
    if (this.#isBroad) {
      const nearest = vectors.nearest(this.#vector, count * BROAD);
      const drawers = this.#drawersOf(nearest, count);
      if (drawers.length >= count || nearest.length < count * BROAD) return drawers;
    }
    return this.#drawersOf(vectors.nearest(this.#vector, count, this.#allowed()?.vectors), count);
  }

  /** The drawers of the first `count` of these vectors that have any that the filter allows. */
  #drawersOf(nearest: readonly Neighbour[], count: number): DrawerView[] {
    const drawers: DrawerView[] = [];
    let filled = 0;
    for (const { vectorId, cosine } of nearest) {
      const own = this.#palace.reading.drawersByVector(vectorId, COPIES, this.#among);
      this.#cosines.set(vectorId, cosine);
      drawers.push(...own);
      if (own.length > 0) filled += 1;
      if (filled === count) break;
    }
    return drawers;
  }

  /** What the filter allows; undefined when that is everything. Looked up when it is needed first. */
  #allowed(): Selection | undefined {
    if (this.#among !== undefined) this.#selection ??= this.#palace.reading.select(this.#among);
    return this.#selection;
  }

  /** BM25 of any drawers, by row id. */
  bm25(drawers: readonly DrawerView[]): Map<number, number> {
    return this.#palace.lexical.scores(this.#terms, drawers);
  }

  #withoutExcluded(drawers: readonly DrawerView[]): DrawerView[] {
    const { words, texts } = this.#excluded;
    const unwanted = this.#palace.lexical.holding(words, drawers);
    return drawers.filter((drawer) => !unwanted.has(drawer.id) && !texts.some((text) => holds(drawer, text)));
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
