import type { Embedder } from '../miner/embed/index.js';
import type { DrawerView, Palace, QueryTerm } from '../store/index.js';
import { questionWords } from './query.js';

export interface SearchOptions {
  palace: Palace;
  embedder: Embedder;
  question: string;
  wing?: string | undefined;
  room?: string | undefined;
  /** Hits wanted, at least 1. */
  limit: number;
}

export interface Hit {
  drawer: DrawerView;
  /** Half lexical, half semantic; at most 1. */
  score: number;
  scores: {
    /** BM25 as a share of the best candidate's, 0–1. */
    lexical: number;
    /** Cosine of question and drawer, 0–1. */
    semantic: number;
    /** BM25 itself. */
    bm25: number;
  };
}

/** Candidates taken from each half, more only when more hits are wanted (sqlite-vec finds no more than 4,096). */
const CANDIDATES = 50;
const CANDIDATES_AT_MOST = 4_096;
/** Terms in more than this share of all drawers are too common to look candidates up by. */
const COMMON_SHARE = 0.3;
const COMMON_WORDS = 4;
/** A question is cut here: a text pasted whole asks nothing that its beginning does not. */
const QUESTION_CHARS = 2_000;
/** Drawers of identical text that one vector may bring in. */
const COPIES = 5;

/**
 * Finds drawers by words and by meaning: the best of both halves, each member of the union scored exactly
 * by both, half and half. (Measured on LoCoMo: the sum of scores keeps BM25's first place, which rank fusion
 * loses.)
 */
export async function search(options: SearchOptions): Promise<Hit[]> {
  const { palace, embedder } = options;
  const question = options.question.slice(0, QUESTION_CHARS);
  const [query] = await embedder.embed([question], 'query');
  if (query === undefined) return [];
  // On one state of the palace: a run may give the slot of a vector to another text at any moment.
  return palace.snapshot(() => ranked(palace, query, questionWords(question), options));
}

function ranked(
  palace: Palace,
  query: Float32Array,
  words: readonly string[],
  options: SearchOptions,
): Hit[] {
  const among = {
    ...(options.wing === undefined ? {} : { wing: options.wing }),
    ...(options.room === undefined ? {} : { room: options.room }),
  };
  const count = Math.min(Math.max(CANDIDATES, options.limit), CANDIDATES_AT_MOST);
  const terms = palace.lexical.terms(words);
  const lexical = palace.lexical.candidates(tellingWords(terms, palace.lexical.size()), count, among);
  const cosines = new Map<number, number>();
  const drawers = new Map<number, DrawerView>();
  for (const { vectorId, cosine } of palace.vectors.nearest(query, count, among)) {
    cosines.set(vectorId, cosine);
    for (const drawer of palace.drawersByVector(vectorId, among, COPIES)) drawers.set(drawer.id, drawer);
  }
  for (const drawer of palace.drawersById(lexical)) drawers.set(drawer.id, drawer);
  const unscored = new Set([...drawers.values()].map((d) => d.vectorId).filter((id) => !cosines.has(id)));
  for (const [id, cosine] of palace.vectors.cosines(query, unscored)) cosines.set(id, cosine);
  const bm25 = palace.lexical.scores(
    terms,
    [...drawers.values()].map((d) => ({ id: d.id, columns: [d.text, d.title, d.context, d.place] })),
  );
  return rank([...drawers.values()], bm25, cosines).slice(0, options.limit);
}

function rank(drawers: DrawerView[], bm25: Map<number, number>, cosines: Map<number, number>): Hit[] {
  const best = Math.max(...bm25.values(), Number.MIN_VALUE);
  return drawers
    .map((drawer) => {
      const lexical = (bm25.get(drawer.id) ?? 0) / best;
      const semantic = Math.min(1, Math.max(0, cosines.get(drawer.vectorId) ?? 0));
      return {
        drawer,
        score: (lexical + semantic) / 2,
        scores: { lexical, semantic, bm25: bm25.get(drawer.id) ?? 0 },
      };
    })
    .sort((a, b) => b.score - a.score || a.drawer.id - b.drawer.id);
}

/**
 * The words worth looking candidates up by: those that are not everywhere; when none is left the least common
 * ones, since each costs a walk over most of the index.
 */
function tellingWords(terms: readonly QueryTerm[], drawers: number): string[] {
  const known = terms.filter((term) => term.drawers > 0).sort((a, b) => a.drawers - b.drawers);
  const rare = known.filter((term) => term.drawers <= drawers * COMMON_SHARE);
  return (rare.length > 0 ? rare : known.slice(0, COMMON_WORDS)).map((term) => term.word);
}
