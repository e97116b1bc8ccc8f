import { UserError } from '../../core/errors.js';
import { sha256 } from '../../core/hash.js';
import { addCounts, type Sanitiser, type Scope } from '../../sanitiser/index.js';
import type { Entity, Fact, Palace } from '../../store/index.js';
import { type Interval, isEmpty, overlap, parseInstant } from './instant.js';
import { entityOf, predicateOf } from './names.js';
import { takesSeveral } from './several.js';
import { sourceOf } from './source.js';

/** A fact as somebody tells it. */
export interface FactInput {
  subject: string;
  predicate: string;
  object: string;
  /** First moment at which it holds. */
  validFrom?: string | undefined;
  /** First moment at which it holds no longer. */
  validTo?: string | undefined;
  /** 0–1; default 1. */
  confidence?: number | undefined;
  /** The drawer it was taken from, or the beginning of its id. */
  sourceDrawerId?: string | undefined;
  /** Where it was read, in words of one's own, or a source of the palace. */
  sourceFile?: string | undefined;
  /** Kept for those who name one; the palace has no closets. */
  sourceCloset?: string | undefined;
}

/** Who tells facts, when, and what they must not hold. */
export interface Telling {
  sanitiser: Pick<Sanitiser, 'scope'>;
  addedBy: string;
  now: Date;
  /** Called in the transaction of a change: it is to be recorded with it. */
  record?: (() => void) | undefined;
}

export interface Added {
  fact: Fact;
  /** False when just this fact was there. */
  added: boolean;
  /** Facts that say something else of the subject at the same time, where one thing at a time is usual. */
  conflicts: Fact[];
  /** What was redacted in the words of the fact, by kind. */
  redacted: Record<string, number>;
}

const ID_DIGITS = 24;

/**
 * Adds a fact, in a short transaction beside any run. A fact that is there, open like the new one or of the same
 * interval, is not doubled.
 *
 * @throws UserError `usage` for words, moments or a confidence that are none, an interval that ends before it begins;
 *   `not-found` for a drawer that is not there
 */
export async function addFact(palace: Palace, input: FactInput, telling: Telling): Promise<Added> {
  const { words, redacted } = await cleanWords(input, telling.sanitiser);
  const interval = intervalOf(words);
  return palace.transaction(() => {
    const placedFact = placed(palace, words, interval, telling);
    if (placedFact.added) telling.record?.();
    return { ...placedFact, redacted };
  });
}

/**
 * Whether a fact can be told at all, without a palace: its words, its moments, its confidence.
 *
 * @throws UserError `usage`
 */
export function checkFact(input: FactInput): void {
  entityOf('subject', input.subject);
  predicateOf(input.predicate);
  entityOf('object', input.object);
  checkConfidence(input.confidence ?? 1);
  intervalOf(input);
}

function checkConfidence(confidence: number): void {
  if (confidence >= 0 && confidence <= 1) return;
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
export function placed(
  palace: Palace,
  words: FactInput,
  interval: Interval,
  { addedBy, now }: Pick<Telling, 'addedBy' | 'now'>,
): Omit<Added, 'redacted'> {
  const { subject, predicate, object, confidence = 1, sourceCloset = null } = words;
  const fact = { subject, predicate, object, confidence, sourceCloset, addedBy, ...interval };
  return place(palace, { ...fact, ...sourceOf(palace, words), recordedAt: now.toISOString() });
}

/** A fact as it is to be kept, its words not yet settled. */
export type LooseFact = Omit<Fact, 'tripleId' | 'subjectId' | 'objectId'>;

/** What a fact would be beside those that are there. */
interface Settled {
  subject: Entity;
  predicate: string;
  object: Entity;
  /** The same fact, which is there. */
  known: Fact | undefined;
  conflicts: Fact[];
}

/**
 * Looks whether a fact is there.
 *
 * @param more facts that are to be looked at as if they were
 * @throws UserError `usage`
 */
export function settleFact(
  palace: Palace | undefined,
  loose: LooseFact,
  more: readonly Fact[] = [],
): Settled {
  const { confidence, validFrom, validTo } = loose;
  const subject = entityOf('subject', loose.subject);
  const object = entityOf('object', loose.object);
  const predicate = predicateOf(loose.predicate);
  checkConfidence(confidence);
  const all = [
    ...(palace?.facts.of(subject.id, predicate) ?? []),
    ...more.filter((fact) => fact.subjectId === subject.id && fact.predicate === predicate),
  ];
  const others = takesSeveral(predicate) ? [] : all.filter((other) => other.objectId !== object.id);
  const conflicts = others.filter((other) => overlap(other, { validFrom, validTo }));
  const known = all.find(
    (other) =>
      other.objectId === object.id &&
      ((validTo === null && other.validTo === null) ||
        (other.validFrom === validFrom && other.validTo === validTo)),
  );
  return { subject, predicate, object, known, conflicts };
}

/**
 * Keeps a fact, unless it is there; in a transaction.
 *
 * @throws UserError `usage`; FactForgotten
 */
export function place(palace: Palace, loose: LooseFact): Omit<Added, 'redacted'> {
  const { subject, predicate, object, known, conflicts } = settleFact(palace, loose);
  if (known !== undefined) return { fact: known, added: false, conflicts };
  const tripleId = freeId(palace, [subject.id, predicate, object.id, loose.validFrom ?? '']);
  for (const entity of [subject, object]) palace.facts.addEntity(entity, loose.recordedAt);
  palace.facts.add({ ...loose, tripleId, subjectId: subject.id, predicate, objectId: object.id });
  return { fact: factOf(palace, tripleId), added: true, conflicts };
}

export function factOf(palace: Palace, tripleId: string): Fact {
  const fact = palace.facts.byId(tripleId);
  if (fact === undefined) throw new Error(`fact ${tripleId} was not stored`);
  return fact;
}

/** It was forgotten, and is not told again until that is lifted. */
export class FactForgotten extends UserError {
  constructor(tripleId: string) {
    super('failed', 'this fact was forgotten', {
      hint: `mempalace forget --source ${tripleId} --allow-again lifts that`,
    });
    this.name = 'FactForgotten';
  }
}

/** The same fact has the same id in every palace; told again after it ended, the next one. @throws FactForgotten */
function freeId(palace: Palace, parts: readonly string[]): string {
  for (let occurrence = 0; ; occurrence += 1) {
    const id = factId(parts, occurrence);
    if (palace.forgetting.has(id)) throw new FactForgotten(id);
    if (palace.facts.byId(id) === undefined) return id;
  }
}

/**
 * The id of a fact.
 *
 * @param parts ids of subject, predicate and object, and its beginning (empty: none)
 * @param occurrence 0 when it is told for the first time
 */
export function factId(parts: readonly string[], occurrence: number): string {
  return `fact_${sha256([...parts, occurrence].join('\0')).slice(0, ID_DIGITS)}`;
}

/** Every word of a fact, without what must not be kept. The predicate is looked at as the key of the object. */
export async function cleanWords(
  input: FactInput,
  sanitiser: Telling['sanitiser'],
): Promise<{ words: FactInput; redacted: Record<string, number> }> {
  const scope = sanitiser.scope();
  const cleaned = await cleanWordsIn(input, scope);
  // A word that was looked at before another one gave it away.
  return scope.known === 0 ? cleaned : cleanWordsIn(input, scope);
}

async function cleanWordsIn(
  input: FactInput,
  sanitiser: Scope,
): Promise<{ words: FactInput; redacted: Record<string, number> }> {
  const redacted: Record<string, number> = {};
  const clean = async (text: string): Promise<string> => {
    const result = await sanitiser.clean(text);
    addCounts(redacted, result.redacted);
    return result.text;
  };
  const optional = async (text: string | undefined) => (text === undefined ? undefined : clean(text));
  const words = {
    ...input,
    subject: await clean(input.subject),
    predicate: await clean(input.predicate),
    object: await objectOf(input, sanitiser, redacted),
    sourceFile: await optional(input.sourceFile),
    sourceCloset: await optional(input.sourceCloset),
  };
  return { words, redacted };
}

/** `{"api_key": "…"}` tells a secret where `…` alone does not; so may the subject. */
async function objectOf(
  { subject, predicate, object }: FactInput,
  sanitiser: Scope,
  redacted: Record<string, number>,
): Promise<string> {
  let text = object;
  for (const key of [predicate, subject, `${subject}_${predicate}`]) {
    const { value, redacted: found } = await sanitiser.cleanValue({ [key]: text });
    const [inner]: unknown[] = typeof value === 'object' && value !== null ? Object.values(value) : [];
    if (typeof inner !== 'string' || inner === text) continue;
    addCounts(redacted, found);
    text = inner;
  }
  return text;
}
