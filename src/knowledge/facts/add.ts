import { UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { findDrawer } from '../../reading/index.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Fact, Palace } from '../../store/index.js';
import { cleanWords } from './clean.js';
import { type Interval, isEmpty, overlap, parseInstant } from './instant.js';
import { entityOf, type FactWords, predicateOf, takesSeveral } from './names.js';

export interface FactInput extends FactWords {
  /** First moment at which it is true. */
  valid_from?: string | undefined;
  /** First moment at which it is no longer true. */
  valid_to?: string | undefined;
  /** 0–1; default 1. */
  confidence?: number | undefined;
  /** Its drawer, or the beginning of the id. */
  source_drawer_id?: string | undefined;
  /** Its source: free text, or a source of the palace. */
  source_file?: string | undefined;
  /** For callers that state one; the palace has no closets. */
  source_closet?: string | undefined;
}

export interface FactWriting {
  sanitiser: Pick<Sanitiser, 'scope'>;
  addedBy: string;
  now: Date;
  /** Called in the transaction, to record the change. */
  record?: (() => void) | undefined;
}

interface Placed {
  fact: Fact;
  /** False when the same fact was stored already. */
  added: boolean;
  /** Facts with another object at the same time, for a predicate that usually has one. */
  conflicts: Fact[];
}

export interface Added extends Placed {
  redacted: Record<string, number>;
}

/**
 * Adds a fact in a short transaction without the run lock. The same fact, open or with the same interval, is stored once.
 *
 * @throws UserError `usage` for invalid words, moments or confidence, or an interval that ends before it begins;
 *   `not-found` for an unknown drawer
 */
export async function addFact(palace: Palace, input: FactInput, writing: FactWriting): Promise<Added> {
  const { words, redacted } = await cleanWords(input, writing.sanitiser);
  const interval = intervalOf(words);
  return palace.transaction(() => {
    const placed = placeFrom(palace, words, interval, writing);
    if (placed.added) writing.record?.();
    return { ...placed, redacted };
  });
}

/** Checks a fact without a palace. @throws UserError `usage` for invalid words, moments or confidence */
export function checkFact(input: FactInput): void {
  settleWords(input, input.confidence);
  intervalOf(input);
}

function settleWords({ subject, predicate, object }: FactWords, confidence = 1) {
  const settled = {
    subject: entityOf('subject', subject),
    predicate: predicateOf(predicate),
    object: entityOf('object', object),
  };
  if (confidence >= 0 && confidence <= 1) return settled;
  throw new UserError('usage', `confidence is a number from 0 to 1, not ${confidence}`);
}

/** @throws UserError `usage` */
function intervalOf({ valid_from: from, valid_to: to }: FactInput): Interval {
  const valid_from = from === undefined ? null : parseInstant('valid_from', from);
  const valid_to = to === undefined ? null : parseInstant('valid_to', to);
  if (!isEmpty({ valid_from, valid_to })) return { valid_from, valid_to };
  throw new UserError('usage', `the fact would end (${valid_to}) before it begins (${valid_from})`, {
    hint: 'valid_to is exclusive: for a single day, give the day after it',
  });
}

/** `addFact` with clean words, in a transaction. */
export function placeFrom(
  palace: Palace,
  words: FactInput,
  interval: Interval,
  { addedBy, now }: Pick<FactWriting, 'addedBy' | 'now'>,
): Placed {
  const { subject, predicate, object, confidence = 1, source_closet = null } = words;
  const fact = { subject, predicate, object, confidence, source_closet, added_by: addedBy, ...interval };
  return place(palace, { ...fact, ...sourceOf(palace, words), recorded_at: now.toISOString() });
}

/**
 * The drawer and source of a fact. When the source is forgotten, its facts are found by its key.
 *
 * @throws UserError `usage` for an invalid or ambiguous drawer id; `not-found` for an unknown one
 */
function sourceOf(
  palace: Palace,
  { source_drawer_id, source_file }: FactInput,
): Pick<Fact, 'source_key' | 'source_drawer_id' | 'source_file'> {
  if (source_drawer_id !== undefined) {
    const { drawerId, sourceKey, sourceFile } = findDrawer(palace, source_drawer_id);
    return { source_key: sourceKey, source_drawer_id: drawerId, source_file: source_file ?? sourceFile };
  }
  const named = source_file === undefined ? [] : palace.reading.sourcesNamed(source_file);
  const source_key = named.length === 1 ? (named[0]?.sourceKey ?? null) : null;
  return { source_key, source_drawer_id: null, source_file: source_file ?? null };
}

/** What `place` reads and changes: a palace, or a dry run's copy. */
export interface FactStore {
  facts: Pick<Palace['facts'], 'byId' | 'of' | 'addEntity' | 'end'> & { add(fact: Fact): void };
  forgetting: Pick<Palace['forgetting'], 'has'>;
}

/** A fact whose words are not normalized. */
export type NewFact = Omit<Fact, 'triple_id' | 'subject_id' | 'object_id'>;

/** Stores a fact unless it is stored already; in a transaction. @throws UserError `usage`; FactForgotten */
export function place(store: FactStore, given: NewFact): Placed {
  const { subject, predicate, object } = settleWords(given, given.confidence);
  const all = store.facts.of(subject.id, predicate);
  const conflicts = all.filter(
    (other) => !takesSeveral(predicate) && other.object_id !== object.id && overlap(other, given),
  );
  const known = all.find(
    ({ object_id, valid_from, valid_to }) =>
      object_id === object.id &&
      (valid_to === null
        ? given.valid_to === null
        : valid_to === given.valid_to && valid_from === given.valid_from),
  );
  if (known !== undefined) return { fact: known, added: false, conflicts };
  const triple_id = freeId(store, [subject.id, predicate, object.id, given.valid_from ?? '']);
  for (const entity of [subject, object]) store.facts.addEntity(entity, given.recorded_at);
  store.facts.add({ ...given, triple_id, subject_id: subject.id, predicate, object_id: object.id });
  return { fact: factOf(store, triple_id), added: true, conflicts };
}

/** A fact that is stored. @throws Error if it is not */
export function factOf({ facts }: Pick<FactStore, 'facts'>, triple_id: string): Fact {
  const fact = facts.byId(triple_id);
  if (fact === undefined) throw new Error(`fact ${triple_id} was not stored`);
  return fact;
}

/** The fact was forgotten: it is not added until that is lifted. */
export class FactForgotten extends UserError {
  constructor(triple_id: string) {
    super('failed', 'this fact was forgotten', {
      hint: `mempalace forget --source ${triple_id} --allow-again lifts that`,
    });
    this.name = 'FactForgotten';
  }
}

/** The same fact has the same id in every palace; added again after its end, the next one. @throws FactForgotten */
function freeId({ facts, forgetting }: FactStore, parts: readonly string[]): string {
  for (let occurrence = 0; ; occurrence += 1) {
    const id = factId(parts, occurrence);
    if (forgetting.has(id)) throw new FactForgotten(id);
    if (facts.byId(id) === undefined) return id;
  }
}

const ID_DIGITS = 24;

/**
 * @param parts ids of subject, predicate and object, and the beginning (empty: none)
 * @param occurrence 0 for the first time
 */
export function factId(parts: readonly string[], occurrence: number): string {
  return `fact_${sha256([...parts, occurrence].join('\0')).slice(0, ID_DIGITS)}`;
}
