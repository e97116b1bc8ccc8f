import { z } from 'zod';
import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { issueText } from '../../core/issues.js';
import { parseJson } from '../../core/json.js';
import { addCounts } from '../../sanitiser/index.js';
import type { Palace } from '../../store/index.js';
import { FactForgotten, type FactStore, type FactWriting, place } from './add.js';
import { cleanWords } from './clean.js';
import { isOrdered, parseInstant } from './instant.js';
import { entityId, predicateOf } from './names.js';

const FORMAT = 'mempalace-facts';
const FORMAT_VERSION = 1;

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
type FactsFile = Omit<z.infer<typeof factsFile>, 'facts'> & { facts: FactRow[] };

/** All facts, or those with a source in a wing, in the order in which they were added. */
export function exportFacts(
  palace: Palace,
  { made, wing }: { made: Date; wing?: string | undefined },
): FactsFile {
  const facts = palace.facts.all(wing).map(factRowOf);
  return { format: FORMAT, version: FORMAT_VERSION, made: made.toISOString(), facts };
}

/** A fact as exports contain it: the fields of `factRow`, in their order. */
export function factRowOf(fact: FactRow): FactRow {
  return factRow.parse(fact);
}

/**
 * The rows of an export of facts, not validated.
 *
 * @throws UserError `unreadable` for another file, `palace-newer` for a newer version of the format
 */
export function parseFactsFile(text: string): { facts: unknown[] } {
  const file = factsFile.safeParse(parseJson(text));
  if (!file.success)
    throw new UserError('unreadable', 'it is not an export of facts', {
      hint: 'mempalace facts export writes such a file; mempalace import takes a whole palace',
    });
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
  /** Open here, ended in the export. */
  ended: number;
  unchanged: number;
  /** From a source that was forgotten here. */
  forgotten: number;
  /** Invalid rows: number from 1, and reason. */
  problems: { row: number; reason: string }[];
  redacted: Record<string, number>;
}

/**
 * Imports facts in one transaction. Existing facts stay; an open fact that has ended in the export is ended.
 *
 * @param palace undefined only for a dry run
 * @param rows of an export; an error in place of a row is reported as its problem
 * @param options.dryRun counts, and changes nothing
 */
export async function importFacts(
  palace: Palace | undefined,
  rows: readonly unknown[],
  { sanitiser, record, dryRun = false }: Pick<FactWriting, 'sanitiser' | 'record'> & { dryRun?: boolean },
): Promise<FactsImport> {
  const result: FactsImport = { new: 0, ended: 0, unchanged: 0, forgotten: 0, problems: [], redacted: {} };
  const facts: { number: number; row: FactRow }[] = [];
  for (const [index, value] of rows.entries()) {
    const number = index + 1;
    const parsed = factRow.safeParse(value);
    if (parsed.success) {
      const { words, redacted } = await cleanWords(parsed.data, sanitiser);
      addCounts(result.redacted, redacted);
      facts.push({ number, row: words });
    } else {
      const reason = value instanceof Error ? value.message : issueText(parsed.error.issues[0], 'the line');
      result.problems.push({ row: number, reason });
    }
  }
  const takeAll = (store: FactStore) => {
    for (const { number, row } of facts) {
      try {
        result[takeFact(store, row)] += 1;
      } catch (error) {
        if (!(error instanceof UserError) || error.code !== 'usage') throw error;
        result.problems.push({ row: number, reason: error.message });
      }
    }
  };
  if (dryRun) takeAll(trialOf(palace));
  else if (palace === undefined) throw new Error('an import of facts needs a palace');
  else
    palace.transaction(() => {
      takeAll(palace);
      if (result.new + result.ended > 0) record?.();
    });
  result.problems.sort((a, b) => a.row - b.row);
  return result;
}

/** The facts of a palace with changes that are never written. */
function trialOf(palace: Palace | undefined): FactStore {
  const all = new Map(palace?.facts.all().map((fact) => [fact.triple_id, { ...fact }]));
  const topic = (subject_id: string, predicate: string) => JSON.stringify([subject_id, predicate]);
  const topics = groupBy(all.values(), (fact) => topic(fact.subject_id, fact.predicate));
  return {
    forgetting: { has: (key) => palace?.forgetting.has(key) === true },
    facts: {
      byId: (id) => all.get(id),
      of: (subject_id, predicate) => topics.get(topic(subject_id, predicate)) ?? [],
      addEntity: () => {},
      add: (fact) => {
        const key = topic(fact.subject_id, fact.predicate);
        all.set(fact.triple_id, fact);
        topics.set(key, [...(topics.get(key) ?? []), fact]);
      },
      end: (id, valid_to) => {
        const fact = all.get(id);
        if (fact !== undefined) fact.valid_to = valid_to;
      },
    },
  };
}

/**
 * Takes one fact of an export in; in a transaction.
 *
 * @throws UserError `usage` for a row that is not a fact
 */
export function takeFact(store: FactStore, row: FactRow): 'new' | 'ended' | 'unchanged' | 'forgotten' {
  const { facts, forgetting } = store;
  const { triple_id, ...given } = row;
  const moment = (name: string, text: string | null) => (text === null ? null : parseInstant(name, text));
  const valid_from = moment('valid_from', given.valid_from);
  const valid_to = moment('valid_to', given.valid_to);
  if (!isOrdered({ valid_from, valid_to }))
    throw new UserError('usage', `the fact ends (${valid_to}) before it begins (${valid_from})`);
  const { source_key, subject, predicate, object } = given;
  if (forgetting.has(triple_id) || (source_key !== null && forgetting.has(source_key))) return 'forgotten';
  const known = facts.byId(triple_id);
  const isKnown =
    known?.subject_id === entityId(subject) &&
    known.object_id === entityId(object) &&
    known.predicate === predicateOf(predicate);
  if (isKnown) {
    if (known.valid_to !== null || valid_to === null) return 'unchanged';
    facts.end(triple_id, valid_to);
    return 'ended';
  }
  try {
    return place(store, { ...given, valid_from, valid_to }).added ? 'new' : 'unchanged';
  } catch (error) {
    if (error instanceof FactForgotten) return 'forgotten';
    throw error;
  }
}
