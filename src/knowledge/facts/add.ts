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
  validFrom?: string | undefined;
  /** First moment at which it is no longer true. */
  validTo?: string | undefined;
  /** 0–1; default 1. */
  confidence?: number | undefined;
  /** Its drawer, or the beginning of the id. */
  sourceDrawerId?: string | undefined;
  /** Its source: free text, or a source of the palace. */
  sourceFile?: string | undefined;
  /** For callers that state one; the palace has no closets. */
  sourceCloset?: string | undefined;
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
function intervalOf({ validFrom: from, validTo: to }: FactInput): Interval {
  const validFrom = from === undefined ? null : parseInstant('valid_from', from);
  const validTo = to === undefined ? null : parseInstant('valid_to', to);
  if (!isEmpty({ validFrom, validTo })) return { validFrom, validTo };
  throw new UserError('usage', `the fact would end (${validTo}) before it begins (${validFrom})`, {
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
  const { subject, predicate, object, confidence = 1, sourceCloset = null } = words;
  const fact = { subject, predicate, object, confidence, sourceCloset, addedBy, ...interval };
  return place(palace, { ...fact, ...sourceOf(palace, words), recordedAt: now.toISOString() });
}

/**
 * The drawer and source of a fact. When the source is forgotten, its facts are found by its key.
 *
 * @throws UserError `usage` for an invalid or ambiguous drawer id; `not-found` for an unknown one
 */
function sourceOf(
  palace: Palace,
  { sourceDrawerId, sourceFile }: FactInput,
): Pick<Fact, 'sourceKey' | 'sourceDrawerId' | 'sourceFile'> {
  if (sourceDrawerId !== undefined) {
    const { drawerId, sourceKey, sourceFile: file } = findDrawer(palace, sourceDrawerId);
    return { sourceKey, sourceDrawerId: drawerId, sourceFile: sourceFile ?? file };
  }
  const named = sourceFile === undefined ? [] : palace.reading.sourcesNamed(sourceFile);
  const sourceKey = named.length === 1 ? (named[0]?.sourceKey ?? null) : null;
  return { sourceKey, sourceDrawerId: null, sourceFile: sourceFile ?? null };
}

/** What `place` reads and changes: a palace, or a dry run's copy. */
export interface FactStore {
  facts: Pick<Palace['facts'], 'byId' | 'of' | 'addEntity' | 'end'> & { add(fact: Fact): void };
  forgetting: Pick<Palace['forgetting'], 'has'>;
}

/** A fact whose words are not normalized. */
export type NewFact = Omit<Fact, 'tripleId' | 'subjectId' | 'objectId'>;

/** Stores a fact unless it is stored already; in a transaction. @throws UserError `usage`; FactForgotten */
export function place(store: FactStore, given: NewFact): Placed {
  const { subject, predicate, object } = settleWords(given, given.confidence);
  const all = store.facts.of(subject.id, predicate);
  const conflicts = all.filter(
    (other) => !takesSeveral(predicate) && other.objectId !== object.id && overlap(other, given),
  );
  const known = all.find(
    ({ objectId, validFrom, validTo }) =>
      objectId === object.id &&
      (validTo === null
        ? given.validTo === null
        : validTo === given.validTo && validFrom === given.validFrom),
  );
  if (known !== undefined) return { fact: known, added: false, conflicts };
  const tripleId = freeId(store, [subject.id, predicate, object.id, given.validFrom ?? '']);
  for (const entity of [subject, object]) store.facts.addEntity(entity, given.recordedAt);
  store.facts.add({ ...given, tripleId, subjectId: subject.id, predicate, objectId: object.id });
  return { fact: factOf(store, tripleId), added: true, conflicts };
}

/** A fact that is stored. @throws Error if it is not */
export function factOf({ facts }: Pick<FactStore, 'facts'>, tripleId: string): Fact {
  const fact = facts.byId(tripleId);
  if (fact === undefined) throw new Error(`fact ${tripleId} was not stored`);
  return fact;
}

/** The fact was forgotten: it is not added until that is lifted. */
export class FactForgotten extends UserError {
  constructor(tripleId: string) {
    super('failed', 'this fact was forgotten', {
      hint: `mempalace forget --source ${tripleId} --allow-again lifts that`,
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
