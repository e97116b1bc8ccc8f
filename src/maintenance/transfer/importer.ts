import type { Skipped } from '../../core/contract.js';
import { messageOf, UserError } from '../../core/errors.js';
import { issueText } from '../../core/issues.js';
import { type FactRow, takeFact } from '../../knowledge/facts/index.js';
import type { FiledSource, ModelIdentity, Palace, RunStamp, Tombstone } from '../../store/index.js';
import { type BodyLine, bodyLine, type DrawerLine, type SourceLine } from './archive-lines.js';
import { type IncomingChecks, IncomingSource, type IncomingVector, LineError } from './incoming-source.js';
import type { NumberedLine } from './lines.js';

export interface ImportOptions extends IncomingChecks {
  palace: Palace;
  /** An export, absolute. */
  file: string;
  /** Whose vectors it has, as `exportedModel` says. */
  model: ModelIdentity;
  run: RunStamp;
  signal?: AbortSignal | undefined;
  onProgress?: (sources: number) => void;
}

export interface ImportResult {
  new: number;
  changed: number;
  unchanged: number;
  /** What was forgotten there, and is now here. */
  tombstones: number;
  /** Facts that were not here, or are ended here now. */
  facts: number;
  /** Facts that were here, and are forgotten, or were taken from what is. */
  factsErased: number;
  drawersAdded: number;
  drawersRemoved: number;
  drawersTotal: number;
  /** What was passed over, held back, or could not be read. */
  problems: Skipped[];
}

/** Vectors that are kept in one transaction. */
const VECTORS_TOGETHER = 256;

/** A source whose lines are read; `incoming` is undefined when they are passed over. */
interface Current {
  line: SourceLine;
  filed: FiledSource | undefined;
  incoming: IncomingSource | undefined;
}

/** Files the lines of an export in their order, each source as soon as it is whole. */
export class Importer {
  readonly #options: ImportOptions;
  readonly #result: ImportResult = {
    new: 0,
    changed: 0,
    unchanged: 0,
    tombstones: 0,
    facts: 0,
    factsErased: 0,
    drawersAdded: 0,
    drawersRemoved: 0,
    drawersTotal: 0,
    problems: [],
  };
  readonly #tombstones: Tombstone[] = [];
  readonly #forgotten: ReadonlySet<string>;
  #current: Current | undefined;
  #vectors: IncomingVector[] = [];
  #sources = 0;
  #complete = false;

  constructor(options: ImportOptions) {
    this.#options = options;
    this.#forgotten = options.palace.forgetting.names();
  }

  async take({ number, text }: NumberedLine): Promise<void> {
    if (text === undefined) return this.#unreadable(number, 'too long');
    const { value, problem } = parsed(text);
    const line = problem === undefined ? bodyLine.safeParse(value) : undefined;
    if (line?.success !== true) {
      return this.#unreadable(number, problem ?? issueText(line?.error.issues[0], 'the line'));
    }
    try {
      await this.#use(line.data);
    } catch (error) {
      if (error instanceof LineError) this.#unreadable(number, error.message);
      else throw error;
    }
  }

  end(): ImportResult {
    const { palace } = this.#options;
    this.#abandon();
    if (!this.#complete) this.#problem('the file ends early', 'its last lines are missing');
    // An import never forgets what is filed here; facts are taken back.
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
    palace.vectors.dropUnfiled();
    palace.tidy();
    this.#result.drawersTotal = palace.drawerCount();
    return this.#result;
  }

  async #use(line: BodyLine): Promise<void> {
    const { palace, run } = this.#options;
    switch (line.type) {
      case 'project': {
        const { id, root, root_commit: rootCommit, wing, folder } = line;
        const known = palace.projects.all().some((project) => project.id === id);
        if (!known) palace.projects.put({ id, root, rootCommit, folder }, wing);
        return;
      }
      case 'tombstone':
        this.#tombstones.push({
          sourceKey: line.source_key,
          kind: line.kind,
          wing: line.wing,
          origin: line.origin,
          sessionId: line.session_id,
          projectId: line.project_id,
          runId: run.id,
          forgottenAt: line.forgotten_at,
        });
        return;
      case 'source':
        this.#begin(line);
        return;
      case 'text':
        this.#incomingOf(line.source)?.addText(line.text);
        return;
      case 'drawer':
        await this.#draw(line);
        return;
      case 'end':
        await this.#finish(line.source, line.pieces, line.drawers);
        return;
      case 'fact':
        await this.#takeFact(line);
        return;
      case 'done':
        this.#complete = true;
        return;
    }
  }

  #begin(line: SourceLine): void {
    this.#abandon();
    const filed = this.#options.palace.sources.byKey(line.source_key);
    const passed = this.#passOver(line, filed);
    this.#current = { line, filed, incoming: passed ? undefined : new IncomingSource(line, this.#options) };
  }

  /** Counts what is not to be filed; true when it is not. */
  #passOver(line: SourceLine, filed: FiledSource | undefined): boolean {
    const skip = (reason: string): true => {
      this.#result.problems.push({ origin: line.origin, reason });
      return true;
    };
    const names = line.kind === 'document' ? [line.source_key, line.origin] : [line.source_key];
    if (names.some((name) => this.#forgotten.has(name))) return skip('forgotten');
    if (filed === undefined) return false;
    const same =
      line.hash === ''
        ? filed.bytes === line.bytes && filed.mtimeMs === line.source_mtime
        : filed.hash === line.hash;
    if (same) {
      this.#result.unchanged += 1;
      return true;
    }
    return line.source_mtime > filed.mtimeMs ? false : skip('not newer than what is filed');
  }

  async #draw(line: DrawerLine): Promise<void> {
    const vector = await this.#incomingOf(line.source)?.addDrawer(line, this.#options.model.dimension);
    if (vector !== undefined) this.#vectors.push(vector);
    if (this.#vectors.length >= VECTORS_TOGETHER) this.#keepVectors();
  }

  async #takeFact(row: FactRow): Promise<void> {
    const { palace, findSecrets } = this.#options;
    const { subject, predicate, object, source_file: file, source_closet: closet } = row;
    // As an assignment, too: a predicate may say that its object is a secret.
    const words = [subject, `${predicate}: ${object}`, file ?? '', closet ?? ''].join('\n');
    const kinds = Object.keys(await findSecrets(words)).sort();
    const origin = row.source_key ?? row.triple_id;
    if (kinds.length > 0) {
      const detail = `the fact ${row.triple_id} holds what is redacted today: ${kinds.join(', ')}`;
      this.#problem(origin, detail, 'held back');
      return;
    }
    try {
      const outcome = palace.transaction(() => takeFact(palace, row));
      if (outcome === 'new' || outcome === 'ended') this.#result.facts += 1;
      else if (outcome === 'forgotten') this.#result.problems.push({ origin, reason: 'forgotten' });
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
    if (trouble !== undefined) {
      this.#problem(line.origin, trouble.detail, trouble.reason);
      return;
    }
    const { projects } = this.#options.palace;
    if (line.project_id !== null && !projects.all().some(({ id }) => id === line.project_id)) {
      this.#problem(line.origin, 'the line of its project could not be read');
      return;
    }
    this.#file(incoming, filed);
  }

  #file({ line, turns, pieces, drafts, marks }: IncomingSource, filed: FiledSource | undefined): void {
    const { palace, run } = this.#options;
    this.#keepVectors();
    palace.transaction(() => {
      const change = palace.file(
        {
          source: {
            sourceKey: line.source_key,
            sourceFile: line.source_file,
            origin: line.origin,
            kind: line.kind,
            wing: line.wing,
            room: line.room,
            projectId: line.project_id,
            title: line.title,
            sessionId: line.session_id,
            directory: line.directory,
            ingestMode: line.ingest_mode,
            mtimeMs: line.source_mtime,
            bytes: line.bytes,
            hash: line.hash,
            versions: line.versions,
            place: line.place,
            priority: line.priority,
          },
          messages: line.messages,
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
      const source = palace.sources.byKey(line.source_key);
      if (source !== undefined) {
        palace.priorities.set('sources', source.id, {
          priority: line.set_priority ?? undefined,
          pinned: line.pinned ? true : undefined,
        });
      }
      this.#result.drawersAdded += change.added;
      this.#result.drawersRemoved += change.removed;
    });
    if (filed === undefined) this.#result.new += 1;
    else this.#result.changed += 1;
  }

  #keepVectors(): void {
    const { palace, model } = this.#options;
    if (this.#vectors.length > 0) palace.vectors.keep(this.#vectors, model);
    this.#vectors = [];
  }

  /** The source that this line is of, unless its lines are passed over. */
  #incomingOf(key: string): IncomingSource | undefined {
    return this.#current?.line.source_key === key ? this.#current.incoming : undefined;
  }

  /** A source that never came to its end. */
  #abandon(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current?.incoming !== undefined) this.#problem(current.line.origin, 'its last line is missing');
  }

  #unreadable(number: number, detail: string): void {
    this.#problem(`${this.#options.file}:${number}`, detail, 'unreadable line');
  }

  #problem(origin: string, detail: string, reason = 'incomplete'): void {
    this.#result.problems.push({ origin, reason, detail, problem: true });
  }
}

/** A line as JSON, or why it is none. */
export function parsed(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
