import { z } from 'zod';
import { messageOf, UserError } from '../common/errors.js';
import type { Fact, Palace } from '../store/index.js';
import { cleanWords, type LooseFact, place, type Telling } from './add.js';
import { parseInstant, secondOf } from './instant.js';
import { entityId, predicateOf } from './names.js';

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
  if (!file.success) throw new UserError('unreadable', 'it is no export of facts', { hint });
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

/** Takes facts in, in one transaction. What is here already stays; what was ended there is ended here. */
export async function importFacts(
  palace: Palace,
  rows: readonly unknown[],
  { sanitiser, record }: Pick<Telling, 'sanitiser' | 'record'>,
): Promise<FactsImport> {
  const result: FactsImport = { new: 0, ended: 0, unchanged: 0, forgotten: 0, problems: [], redacted: {} };
  const clean: { number: number; row: FactRow }[] = [];
  for (const [index, value] of rows.entries()) {
    const parsed = factRow.safeParse(value);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      result.problems.push({ row: index + 1, reason: `${issue?.path.join('.')}: ${issue?.message}` });
      continue;
    }
    const { subject, predicate, object, source_file, source_closet } = parsed.data;
    const { words, redacted } = await cleanWords(
      {
        subject,
        predicate,
        object,
        sourceFile: source_file ?? undefined,
        sourceCloset: source_closet ?? undefined,
      },
      sanitiser,
    );
    for (const [kind, count] of Object.entries(redacted))
      result.redacted[kind] = (result.redacted[kind] ?? 0) + count;
    const { sourceFile = null, sourceCloset = null, ...names } = words;
    const row = { ...parsed.data, ...names, source_file: sourceFile, source_closet: sourceCloset };
    clean.push({ number: index + 1, row });
  }
  palace.transaction(() => {
    for (const { number, row } of clean) {
      try {
        result[takeFact(palace, row)] += 1;
      } catch (error) {
        if (!(error instanceof UserError) || error.code !== 'usage') throw error;
        result.problems.push({ row: number, reason: error.message });
      }
    }
    if (result.new + result.ended > 0) record?.();
  });
  return result;
}

/**
 * Takes one fact of an export in; in a transaction.
 *
 * @throws UserError `usage` for a row that is no fact
 */
export function takeFact(palace: Palace, row: FactRow): 'new' | 'ended' | 'unchanged' | 'forgotten' {
  if (row.source_key !== null && palace.forgetting.has(row.source_key)) return 'forgotten';
  const loose = looseOf(row);
  const { validFrom, validTo } = loose;
  if (validTo !== null && isBefore(validTo, validFrom))
    throw new UserError('usage', `the fact ends (${validTo}) before it begins (${validFrom})`);
  const known = palace.facts.byId(row.triple_id);
  const same =
    known !== undefined &&
    known.subjectId === entityId(row.subject) &&
    known.objectId === entityId(row.object) &&
    known.predicate === predicateOf(row.predicate);
  if (!same) return place(palace, loose).added ? 'new' : 'unchanged';
  if (known.validTo !== null || validTo === null) return 'unchanged';
  palace.facts.end(known.tripleId, validTo);
  return 'ended';
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
