import { z } from 'zod';
import { messageOf, UserError } from '../../core/errors.js';
import { issueText } from '../../core/issues.js';
import { addCounts } from '../../sanitiser/index.js';
import type { Fact, Palace } from '../../store/index.js';
import { cleanWords, FactForgotten, factId, type LooseFact, place, settleFact, type Telling } from './add.js';
import { parseInstant, secondOf } from './instant.js';
import { entityId, entityOf, predicateOf } from './names.js';

const FORMAT = 'mempalace-facts';
const FORMAT_VERSION = 1;

/** A fact as exports have it, those of the whole palace too. */
export const factRow = z.object({
  triple_id: z.string().regex(/^fact_[0-9a-f]{24}$/),
  subject: z.string().min(1),
  predicate: z.string().min(1),
  object: z.string().min(1),
  valid_from: z.string().nullable(),
  valid_to: z.string().nullable(),
  confidence: z.number().min(0).max(1),
  source_key: z.string().nullable(),
  source_drawer_id: z.string().nullable(),
  source_file: z.string().nullable(),
  source_closet: z.string().nullable(),
  added_by: z.string(),
  recorded_at: z.iso.datetime(),
});
export type FactRow = z.infer<typeof factRow>;

const factsFile = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  made: z.string(),
  facts: z.array(z.unknown()),
});
export type FactsFile = Omit<z.infer<typeof factsFile>, 'facts'> & { facts: FactRow[] };

/** All facts, or those whose source is filed in a wing, in the order in which they were told. */
export function exportFacts(
  palace: Palace,
  { made, wing }: { made: Date; wing?: string | undefined },
): FactsFile {
  const facts = palace.facts.all(wing).map(factRowOf);
  return { format: FORMAT, version: FORMAT_VERSION, made: made.toISOString(), facts };
}

export function factRowOf(fact: Fact): FactRow {
  return {
    triple_id: fact.tripleId,
    subject: fact.subject,
    predicate: fact.predicate,
    object: fact.object,
    valid_from: fact.validFrom,
    valid_to: fact.validTo,
    confidence: fact.confidence,
    source_key: fact.sourceKey,
    source_drawer_id: fact.sourceDrawerId,
    source_file: fact.sourceFile,
    source_closet: fact.sourceCloset,
    added_by: fact.addedBy,
    recorded_at: fact.recordedAt,
  };
}

/**
 * What an export of facts holds; rows that are no facts are for the import to name.
 *
 * @throws UserError `unreadable` for what is no such export, `palace-newer` for one of a later program
 */
export function parseFactsFile(text: string): { facts: unknown[] } {
  const hint = 'mempalace kg export writes such a file; mempalace import takes a whole palace';
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UserError('unreadable', `it is no JSON: ${messageOf(error)}`, { hint });
  }
  const file = factsFile.safeParse(value);
  if (!file.success) throw new UserError('unreadable', 'it is not an export of facts', { hint });
  if (file.data.version > FORMAT_VERSION) {
    throw new UserError(
      'palace-newer',
      `it has version ${file.data.version} of the format, this program knows ${FORMAT_VERSION}`,
      { hint: 'update mempalace-toolkit' },
    );
  }
  return file.data;
}

export interface FactsImport {
  new: number;
  /** Open here, and ended in the export. */
  ended: number;
  unchanged: number;
  /** Taken from a source that was forgotten here. */
  forgotten: number;
  /** Rows that are no facts: their number from 1, and why. */
  problems: { row: number; reason: string }[];
  redacted: Record<string, number>;
}

/**
 * Takes facts in, in one transaction. What is here already stays; what was ended there is ended here.
 *
 * @param palace undefined where there is none yet, which only a dry run may have
 * @param options.dryRun counts what would be taken in, and changes nothing
 */
export async function importFacts(
  palace: Palace | undefined,
  rows: readonly unknown[],
  { sanitiser, record, dryRun = false }: Pick<Telling, 'sanitiser' | 'record'> & { dryRun?: boolean },
): Promise<FactsImport> {
  const result: FactsImport = { new: 0, ended: 0, unchanged: 0, forgotten: 0, problems: [], redacted: {} };
  const clean: { number: number; row: FactRow }[] = [];
  for (const [index, value] of rows.entries()) {
    const parsed = factRow.safeParse(value);
    if (parsed.success)
      clean.push({ number: index + 1, row: await cleanRow(parsed.data, sanitiser, result) });
    else result.problems.push({ row: index + 1, reason: whyNoFact(value, parsed.error) });
  }
  const take = dryRun ? tryingFacts(palace) : (row: FactRow) => takeFact(written(palace), row);
  const takeAll = () => {
    for (const { number, row } of clean) {
      try {
        result[take(row)] += 1;
      } catch (error) {
        if (!(error instanceof UserError) || error.code !== 'usage') throw error;
        result.problems.push({ row: number, reason: error.message });
      }
    }
    if (!dryRun && result.new + result.ended > 0) record?.();
  };
  if (dryRun) takeAll();
  else written(palace).transaction(takeAll);
  result.problems.sort((a, b) => a.row - b.row);
  return result;
}

function written(palace: Palace | undefined): Palace {
  if (palace === undefined) throw new Error('facts are taken into a palace');
  return palace;
}

async function cleanRow(
  row: FactRow,
  sanitiser: Telling['sanitiser'],
  { redacted: all }: FactsImport,
): Promise<FactRow> {
  const { subject, predicate, object } = row;
  const sourceFile = row.source_file ?? undefined;
  const sourceCloset = row.source_closet ?? undefined;
  const { words, redacted } = await cleanWords(
    { subject, predicate, object, sourceFile, sourceCloset },
    sanitiser,
  );
  addCounts(all, redacted);
  return {
    ...row,
    subject: words.subject,
    predicate: words.predicate,
    object: words.object,
    source_file: words.sourceFile ?? null,
    source_closet: words.sourceCloset ?? null,
  };
}

/** The words of a fact that is none say more than its id. */
function whyNoFact(value: unknown, { issues }: z.ZodError): string {
  const words = factWords.safeParse(value);
  if (words.success) {
    try {
      looseOf({ ...EMPTY_ROW, ...words.data });
      entityOf('subject', words.data.subject);
      predicateOf(words.data.predicate);
      entityOf('object', words.data.object);
    } catch (error) {
      return messageOf(error);
    }
  }
  return issueText(issues[0], 'the line');
}

const factWords = factRow.pick({
  subject: true,
  predicate: true,
  object: true,
  valid_from: true,
  valid_to: true,
});
const EMPTY_ROW: FactRow = {
  triple_id: '',
  subject: '',
  predicate: '',
  object: '',
  valid_from: null,
  valid_to: null,
  confidence: 1,
  source_key: null,
  source_drawer_id: null,
  source_file: null,
  source_closet: null,
  added_by: '',
  recorded_at: '',
};

type Taken = 'new' | 'ended' | 'unchanged' | 'forgotten';

/**
 * Takes one fact of an export in; in a transaction.
 *
 * @throws UserError `usage` for a row that is no fact
 */
export function takeFact(palace: Palace, row: FactRow): Taken {
  const { forgotten, loose, known } = lookAt(palace, row);
  if (forgotten) return 'forgotten';
  if (known === undefined) {
    try {
      return place(palace, loose).added ? 'new' : 'unchanged';
    } catch (error) {
      if (error instanceof FactForgotten) return 'forgotten';
      throw error;
    }
  }
  if (known.validTo !== null || loose.validTo === null) return 'unchanged';
  palace.facts.end(known.tripleId, loose.validTo);
  return 'ended';
}

/** What `takeFact` would say of one row after the other, without a change. */
function tryingFacts(palace: Palace | undefined): (row: FactRow) => Taken {
  const ended = new Set<string>();
  const more: Fact[] = [];
  return (row) => {
    const {
      forgotten,
      loose,
      known = more.find((fact) => fact.tripleId === row.triple_id),
    } = lookAt(palace, row);
    if (forgotten) return 'forgotten';
    if (known === undefined) {
      const { subject, predicate, object, known: same } = settleFact(palace, loose, more);
      if (same !== undefined && !ended.has(same.tripleId)) return 'unchanged';
      const ids = { tripleId: row.triple_id, subjectId: subject.id, objectId: object.id, predicate };
      if (
        palace?.forgetting.has(factId([subject.id, predicate, object.id, loose.validFrom ?? ''], 0)) === true
      )
        return 'forgotten';
      more.push({ ...loose, ...ids });
      return 'new';
    }
    if (known.validTo !== null || loose.validTo === null || ended.has(known.tripleId)) return 'unchanged';
    ended.add(known.tripleId);
    return 'ended';
  };
}

/** @throws UserError `usage` for a row that is no fact */
function lookAt(palace: Palace | undefined, row: FactRow) {
  const isForgotten = (key: string) => palace?.forgetting.has(key) === true;
  const forgotten = isForgotten(row.triple_id) || (row.source_key !== null && isForgotten(row.source_key));
  const loose = looseOf(row);
  const { validFrom, validTo } = loose;
  if (validTo !== null && isBefore(validTo, validFrom))
    throw new UserError('usage', `the fact ends (${validTo}) before it begins (${validFrom})`);
  const known = palace?.facts.byId(row.triple_id);
  const same =
    known !== undefined &&
    known.subjectId === entityId(row.subject) &&
    known.objectId === entityId(row.object) &&
    known.predicate === predicateOf(row.predicate);
  return { forgotten, loose, known: same ? known : undefined };
}

function looseOf(row: FactRow): LooseFact {
  return {
    subject: row.subject,
    predicate: row.predicate,
    object: row.object,
    validFrom: row.valid_from === null ? null : parseInstant('valid_from', row.valid_from),
    validTo: row.valid_to === null ? null : parseInstant('valid_to', row.valid_to),
    confidence: row.confidence,
    sourceKey: row.source_key,
    sourceDrawerId: row.source_drawer_id,
    sourceFile: row.source_file,
    sourceCloset: row.source_closet,
    addedBy: row.added_by,
    recordedAt: row.recorded_at,
  };
}

/** An empty interval is one: what was told and taken back at once. */
function isBefore(validTo: string, validFrom: string | null): boolean {
  return validFrom !== null && secondOf(validTo) < secondOf(validFrom);
}
