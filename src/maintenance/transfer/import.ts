import { camelCased } from '../../core/case.js';
import type { Skipped } from '../../core/contract.js';
import { UserError } from '../../core/errors.js';
import { issueText } from '../../core/issues.js';
import { parseJson } from '../../core/json.js';
import { repeatedKeys } from '../../core/source-key.js';
import { type CollectionRow, takeCollection } from '../../knowledge/collections/exchange.js';
import { type FactRow, takeFact } from '../../knowledge/facts/index.js';
import { type TaskRow, takeInTask } from '../../knowledge/tasks/exchange.js';
import { deriveActivity } from '../../miner/derive-activity.js';
import type { JsonLine } from '../../platform/jsonl.js';
import type { FiledSource, ModelIdentity, Palace, RunStamp, Tombstone } from '../../store/index.js';
import { type BodyLine, bodyLine, exportedLines, type SourceLine } from './archive-lines.js';
import { type IncomingChecks, IncomingSource, type IncomingVector, LineError } from './incoming-source.js';

export interface ImportOptions extends IncomingChecks {
  palace: Palace;
  file: string;
  model: ModelIdentity;
  run: RunStamp;
  signal?: AbortSignal | undefined;
  onProgress?: (sources: number) => void;
}

const NOTHING_IMPORTED = {
  new: 0,
  changed: 0,
  unchanged: 0,
  tombstones: 0,
  /** Facts that are new here, or were ended by the import. */
  facts: 0,
  /** Facts that left because they, or their sources, are forgotten. */
  factsErased: 0,
  collections: 0,
  tasks: 0,
  drawersAdded: 0,
  drawersRemoved: 0,
  drawersTotal: 0,
};

export type ImportResult = typeof NOTHING_IMPORTED & {
  problems: Skipped[];
};

/**
 * Files the sources of an export, each whole or not at all. A source that is here already stays, unless the export
 * contains a newer version. Sources that were forgotten here stay forgotten.
 *
 * @throws UserError `interrupted` when the signal aborts; filed sources stay, and another import continues
 */
export async function importLines(options: ImportOptions): Promise<ImportResult> {
  const importer = new Importer(options);
  let header = true;
  for await (const line of exportedLines(options.file)) {
    options.signal?.throwIfAborted();
    if (!header) await importer.take(line);
    header = false;
  }
  await deriveActivity(options);
  return importer.end();
}

const VECTORS_PER_TRANSACTION = 256;

/** What an export contains beside sources. */
interface Knowledge<Row> {
  /** Where it is counted. */
  count: 'facts' | 'collections' | 'tasks';
  nameOf(row: Row): string;
  /** In a report of secrets; default `it`. */
  subjectOf?(row: Row): string;
  /** Its texts that may contain a secret. */
  wordsOf(row: Row): string;
  /** In a transaction. */
  take(palace: Palace, row: Row): 'new' | 'ended' | 'unchanged' | 'forgotten';
}

const FACTS: Knowledge<FactRow> = {
  count: 'facts',
  nameOf: ({ source_key, triple_id }) => source_key ?? triple_id,
  subjectOf: ({ triple_id }) => `the fact ${triple_id}`,
  // As an assignment, because a predicate such as "password" says that its object is a secret.
  wordsOf: ({ subject, predicate, object, source_file, source_closet }) =>
    [subject, `${predicate}: ${object}`, source_file ?? '', source_closet ?? ''].join('\n'),
  take: takeFact,
};
const COLLECTIONS: Knowledge<CollectionRow> = {
  count: 'collections',
  nameOf: ({ name }) => `collection ${name}`,
  wordsOf: ({ name, question, filter }) => [name, question ?? '', ...Object.values(filter)].join('\n'),
  take: takeCollection,
};
const TASKS: Knowledge<TaskRow> = {
  count: 'tasks',
  nameOf: ({ added_at }) => `task of ${added_at}`,
  wordsOf: ({ text, added_by, result }) => [text, added_by, result ?? ''].join('\n'),
  take: takeInTask,
};

/** Files each source as soon as all its lines have been read. */
class Importer {
  readonly #options: ImportOptions;
  readonly #result: ImportResult = { ...NOTHING_IMPORTED, problems: [] };
  readonly #tombstones: Tombstone[] = [];
  readonly #forgotten: ReadonlySet<string>;
  /** The source whose lines are being read; `incoming` is undefined when they are skipped. */
  #current:
    | { line: SourceLine; filed: FiledSource | undefined; incoming: IncomingSource | undefined }
    | undefined;
  #vectors: IncomingVector[] = [];
  #sources = 0;
  #complete = false;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#forgotten = options.palace.forgetting.names();
  }

  async take({ number, text }: JsonLine): Promise<void> {
    try {
      if (text === undefined) throw new LineError('too long');
      const value = parseJson(text);
      if (value === undefined) throw new LineError('not JSON (a line that was cut off?)');
      const line = bodyLine.safeParse(value);
      if (!line.success) throw new LineError(issueText(line.error.issues[0], 'the line'));
      await this.#use(line.data);
    } catch (error) {
      if (!(error instanceof LineError)) throw error;
      this.#problem(`${this.#options.file}:${number}`, error.message, 'unreadable line');
    }
  }

  end(): ImportResult {
    const { palace } = this.#options;
    this.#abandon();
    if (!this.#complete) this.#problem('the file ends early', 'its last lines are missing');
    // An import never forgets sources that are filed here, but it does forget facts.
    const absent = this.#tombstones.filter(
      ({ sourceKey, kind, origin }) =>
        kind === 'fact' ||
        (palace.sources.byKey(sourceKey) === undefined &&
          (kind !== 'document' || palace.reading.sourcesNamed(origin).length === 0)),
    );
    const before = palace.forgetting.keys().size;
    palace.forgetting.adopt(absent);
    this.#result.tombstones = palace.forgetting.keys().size - before;
    if (palace.facts.ofForgotten().length > 0) this.#result.factsErased = palace.eraseForgotten().facts;
    palace.vectors.pending.dropUnfiled();
    palace.tidy();
    this.#result.drawersTotal = palace.drawerCount();
    return this.#result;
  }

  async #use(line: BodyLine): Promise<void> {
    const { palace, run, model } = this.#options;
    switch (line.type) {
      case 'project': {
        const project = camelCased(line);
        if (!this.#hasProject(project.id)) palace.projects.put(project, project.wing);
        return;
      }
      case 'tombstone':
        this.#tombstones.push({ ...camelCased(line), runId: run.id });
        return;
      case 'source': {
        this.#abandon();
        const filed = palace.sources.byKey(line.source_key);
        const incoming = this.#isWanted(line, filed) ? new IncomingSource(line, this.#options) : undefined;
        this.#current = { line, filed, incoming };
        return;
      }
      case 'text':
        this.#incomingOf(line.source)?.addText(line.text);
        return;
      case 'drawer': {
        const vector = await this.#incomingOf(line.source)?.addDrawer(line, model.dimension);
        if (vector !== undefined) this.#vectors.push(vector);
        if (this.#vectors.length >= VECTORS_PER_TRANSACTION) this.#keepVectors();
        return;
      }
      case 'end':
        return this.#finish(line.source, line.pieces, line.drawers);
      case 'fact':
        return this.#take(line, FACTS);
      case 'collection':
        return this.#take(line, COLLECTIONS);
      case 'task':
        return this.#take(line, TASKS);
      case 'done':
        this.#complete = true;
    }
  }

  /** Counts or reports a source that is not wanted. */
  #isWanted(line: SourceLine, filed: FiledSource | undefined): boolean {
    const { problems } = this.#result;
    const { origin } = line;
    const names = [line.source_key, ...repeatedKeys(line.source_key)];
    if (line.kind === 'document') names.push(origin);
    if (names.some((name) => this.#forgotten.has(name))) {
      problems.push({ origin, reason: 'forgotten' });
      return false;
    }
    if (filed === undefined) return true;
    const same =
      line.hash === ''
        ? filed.bytes === line.bytes && filed.mtimeMs === line.source_mtime
        : filed.hash === line.hash;
    if (same) this.#result.unchanged += 1;
    else if (line.source_mtime <= filed.mtimeMs)
      problems.push({ origin, reason: 'not newer than what is filed' });
    else return true;
    return false;
  }

  async #take<Row>(row: Row, { count, nameOf, subjectOf, wordsOf, take }: Knowledge<Row>): Promise<void> {
    const { palace, findSecrets } = this.#options;
    const origin = nameOf(row);
    const kinds = Object.keys(await findSecrets(wordsOf(row))).sort();
    if (kinds.length > 0) {
      const detail = `${subjectOf?.(row) ?? 'it'} contains what is redacted today: ${kinds.join(', ')}`;
      this.#problem(origin, detail, 'held back');
      return;
    }
    try {
      const outcome = palace.transaction(() => take(palace, row));
      if (outcome === 'new' || outcome === 'ended') this.#result[count] += 1;
      else if (outcome === 'forgotten') this.#result.problems.push({ origin, reason: outcome });
    } catch (error) {
      if (!(error instanceof UserError) || error.code !== 'usage') throw error;
      this.#problem(origin, error.message, 'unreadable line');
    }
  }

  async #finish(key: string, pieces: number, drawers: number): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    this.#sources += 1;
    this.#options.onProgress?.(this.#sources);
    if (current?.line.source_key !== key) {
      this.#problem(key, 'its first line could not be read');
      return;
    }
    const { line, incoming, filed } = current;
    if (incoming === undefined) return;
    const trouble = await incoming.trouble(pieces, drawers);
    if (trouble !== undefined) this.#problem(line.origin, trouble.detail, trouble.reason);
    else if (line.project_id !== null && !this.#hasProject(line.project_id))
      this.#problem(line.origin, 'the line of its project could not be read');
    else this.#file(line, incoming, filed);
  }

  #file(line: SourceLine, incoming: IncomingSource, filed: FiledSource | undefined): void {
    const { palace, run } = this.#options;
    const { turns, pieces, drafts, marks } = incoming;
    const { sourceMtime, setPriority, pinned, messages, turns: _, ...source } = camelCased(line);
    this.#keepVectors();
    const isFiled = palace.transaction(() => {
      const here = palace.sources.byKey(line.source_key);
      // An agent may have written it since its first line was read.
      if (here?.hash !== filed?.hash && !this.#isWanted(line, here)) return false;
      const change = palace.file(
        {
          source: { ...source, mtimeMs: sourceMtime },
          messages,
          turns,
          pieces,
          drafts,
          chars: line.chars,
          addedBy: marks[0]?.addedBy ?? 'mempalace import',
          refreshVectors: false,
        },
        run,
      );
      palace.archive.mark(marks);
      const now = palace.sources.byKey(line.source_key);
      if (now !== undefined) {
        palace.priorities.set('sources', now.id, {
          priority: setPriority ?? undefined,
          pinned: pinned ? true : undefined,
        });
      }
      this.#result.drawersAdded += change.added;
      this.#result.drawersRemoved += change.removed;
      return true;
    });
    if (isFiled) this.#result[filed === undefined ? 'new' : 'changed'] += 1;
  }

  #keepVectors(): void {
    const { palace, model } = this.#options;
    if (this.#vectors.length > 0) palace.vectors.keep(this.#vectors, model);
    this.#vectors = [];
  }

  #hasProject(id: string): boolean {
    return this.#options.palace.projects.all().some((project) => project.id === id);
  }

  #incomingOf(key: string): IncomingSource | undefined {
    return this.#current?.line.source_key === key ? this.#current.incoming : undefined;
  }

  #abandon(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current?.incoming !== undefined) this.#problem(current.line.origin, 'its last line is missing');
  }

  #problem(origin: string, detail: string, reason = 'incomplete'): void {
    this.#result.problems.push({ origin, reason, detail, problem: true });
  }
}
