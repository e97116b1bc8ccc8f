import { UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import type { Fact, Palace } from '../../store/index.js';
import { cleanWords } from './clean.js';
import { type Interval, isEmpty, overlap, parseInstant } from './instant.js';
import { entityOf, type FactWords, predicateOf, takesSeveral } from './names.js';

/** A fact as an agent or the user tells it. */
export interface FactInput extends FactWords {
  /** First moment at which it holds. */
  validFrom?: string | undefined;
  /** First moment at which it holds no longer. */
  validTo?: string | undefined;
  /** 0–1; default 1. */
  confidence?: number | undefined;
  /** The drawer it was taken from, or the beginning of its id. */
  sourceDrawerId?: string | undefined;
  /** Where it was read: free text, or a source of the palace. */
  sourceFile?: string | undefined;
  /** Kept for callers who name one; the palace has no closets. */
  sourceCloset?: string | undefined;
}

/** Who tells facts, when, and what they must not contain. */
export interface Telling {
  sanitiser: Pick<Sanitiser, 'scope'>;
  addedBy: string;
  now: Date;
  /** Called in the transaction of a change, which is recorded with it. */
  record?: (() => void) | undefined;
}

interface Placed {
  fact: Fact;
  /** False when this very fact was there. */
  added: boolean;
  /** Facts that say something else of the subject at the same time, where one thing at a time is usual. */
  conflicts: Fact[];
}

export interface Added extends Placed {
  /** What was redacted in the words of the fact, by kind. */
  redacted: Record<string, number>;
}

/**
 * Adds a fact, in a short transaction beside any run. A fact that is there, open like the new one or of the same
 * interval, is not doubled.
 *
 * @throws UserError `usage` for invalid words, moments or confidence, or an interval that ends before it begins;
 *   `not-found` for a drawer that is not there
 */
export async function addFact(palace: Palace, input: FactInput, telling: Telling): Promise<Added> {
  const { words, redacted } = await cleanWords(input, telling.sanitiser);
  const interval = intervalOf(words);
  return palace.transaction(() => {
    const placed = placeFrom(palace, words, interval, telling);
    if (placed.added) telling.record?.();
    return { ...placed, redacted };
  });
}

/**
 * Whether a fact can be told at all, without a palace: its words, its moments, its confidence.
 *
 * @throws UserError `usage`
 */
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
  { addedBy, now }: Pick<Telling, 'addedBy' | 'now'>,
): Placed {
  const { subject, predicate, object, confidence = 1, sourceCloset = null } = words;
  const fact = { subject, predicate, object, confidence, sourceCloset, addedBy, ...interval };
  return place(palace, { ...fact, ...sourceOf(palace, words), recordedAt: now.toISOString() });
}

/** Letters and digits behind `drawer_` that the beginning of an id must have. */
const LEAST_DIGITS = 8;

/**
 * Where a fact was taken from: the drawer, and its source, by whose key a fact is found when that source is forgotten.
 *
 * @throws UserError `usage` for an invalid drawer id, or the beginning of several; `not-found` for an unknown one
 */
function sourceOf(
  palace: Palace,
  { sourceDrawerId, sourceFile }: FactInput,
): Pick<Fact, 'sourceKey' | 'sourceDrawerId' | 'sourceFile'> {
  if (sourceDrawerId !== undefined) {
    const { drawerId, sourceKey, sourceFile: file } = drawerOf(palace, sourceDrawerId.trim());
    return { sourceKey, sourceDrawerId: drawerId, sourceFile: sourceFile ?? file };
  }
  const named = sourceFile === undefined ? [] : palace.reading.sourcesNamed(sourceFile);
  const sourceKey = named.length === 1 ? (named[0]?.sourceKey ?? null) : null;
  return { sourceKey, sourceDrawerId: null, sourceFile: sourceFile ?? null };
}

function drawerOf(palace: Palace, id: string) {
  if (!/^drawer_[0-9a-f]+$/.test(id) || id.length < 'drawer_'.length + LEAST_DIGITS) {
    throw new UserError('usage', `not a drawer id: ${JSON.stringify(id)}`, {
      hint: 'ids look like drawer_0123456789ab; a search shows them',
    });
  }
  const [drawer, ...others] = palace.reading.drawersByPrefix(id, 2);
  if (drawer === undefined) {
    throw new UserError('not-found', `the palace has no drawer ${id}`, {
      hint: 'its text may have changed since: search for it again, or tell the fact without a drawer',
    });
  }
  if (others.length > 0) throw new UserError('usage', `${id} begins several drawer ids`);
  return drawer;
}

/** What placing a fact reads and changes: a palace, or a trial that keeps its changes to itself. */
export interface FactStore {
  facts: Pick<Palace['facts'], 'byId' | 'of' | 'addEntity' | 'end'> & { add(fact: Fact): void };
  forgetting: Pick<Palace['forgetting'], 'has'>;
}

/** A fact whose words are not in their kept form yet. */
export type LooseFact = Omit<Fact, 'tripleId' | 'subjectId' | 'objectId'>;

/**
 * Keeps a fact, unless it is there; in a transaction.
 *
 * @throws UserError `usage`; FactForgotten
 */
export function place(store: FactStore, loose: LooseFact): Placed {
  const { subject, predicate, object } = settleWords(loose, loose.confidence);
  const all = store.facts.of(subject.id, predicate);
  const conflicts = all.filter(
    (other) => !takesSeveral(predicate) && other.objectId !== object.id && overlap(other, loose),
  );
  const known = all.find(
    ({ objectId, validFrom, validTo }) =>
      objectId === object.id &&
      (validTo === null
        ? loose.validTo === null
        : validTo === loose.validTo && validFrom === loose.validFrom),
  );
  if (known !== undefined) return { fact: known, added: false, conflicts };
  const tripleId = freeId(store, [subject.id, predicate, object.id, loose.validFrom ?? '']);
  for (const entity of [subject, object]) store.facts.addEntity(entity, loose.recordedAt);
  store.facts.add({ ...loose, tripleId, subjectId: subject.id, predicate, objectId: object.id });
  return { fact: factOf(store, tripleId), added: true, conflicts };
}

export function factOf({ facts }: Pick<FactStore, 'facts'>, tripleId: string): Fact {
  const fact = facts.byId(tripleId);
  if (fact === undefined) throw new Error(`fact ${tripleId} was not stored`);
  return fact;
}

/** It was forgotten, and is not added again until that is lifted. */
export class FactForgotten extends UserError {
  constructor(tripleId: string) {
    super('failed', 'this fact was forgotten', {
      hint: `mempalace forget --source ${tripleId} --allow-again lifts that`,
    });
    this.name = 'FactForgotten';
  }
}

/** The same fact has the same id in every palace; told again after it ended, the next one. @throws FactForgotten */
function freeId({ facts, forgetting }: FactStore, parts: readonly string[]): string {
  for (let occurrence = 0; ; occurrence += 1) {
    const id = factId(parts, occurrence);
    if (forgetting.has(id)) throw new FactForgotten(id);
    if (facts.byId(id) === undefined) return id;
  }
}

const ID_DIGITS = 24;

/**
 * @param parts ids of subject, predicate and object, and its beginning (empty: none)
 * @param occurrence 0 when the fact is told for the first time
 */
export function factId(parts: readonly string[], occurrence: number): string {
  return `fact_${sha256([...parts, occurrence].join('\0')).slice(0, ID_DIGITS)}`;
}
