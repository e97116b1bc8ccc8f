import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { Skipped } from '../common/contract.js';
import { isErrno, isSystemError, messageOf, UserError } from '../common/errors.js';
import {
  type DrawerDraft,
  type DrawerMarks,
  type FiledSource,
  type ModelIdentity,
  type Palace,
  parseModel,
  type RunStamp,
  type TextPiece,
  type Tombstone,
} from '../store/index.js';
import {
  type BodyLine,
  bodyLine,
  type DrawerLine,
  FORMAT,
  FORMAT_VERSION,
  headerLine,
  type SourceLine,
} from './archive-lines.js';
import { linesOf, type NumberedLine } from './lines.js';

export interface ImportOptions {
  palace: Palace;
  /** An export, absolute. */
  file: string;
  run: RunStamp;
  /** What of a text today's rules would redact, kind → number; nothing where it is clean. */
  findSecrets: (text: string) => Promise<Record<string, number>>;
  /** The hash that a text's vector is kept under. */
  keyOf: (text: string) => Buffer;
  signal?: AbortSignal | undefined;
  onProgress?: (sources: number) => void;
}

export interface ImportResult {
  new: number;
  changed: number;
  unchanged: number;
  /** What was forgotten there, and is now here. */
  tombstones: number;
  drawersAdded: number;
  drawersRemoved: number;
  drawersTotal: number;
  /** What was passed over, held back, or could not be read. */
  problems: Skipped[];
}

/** Vectors that are kept in one transaction. */
const VECTORS_TOGETHER = 256;

/**
 * Whose vectors an export holds.
 *
 * @throws UserError `not-found`, `unreadable` for a file that is no export, `palace-newer` for one of a later program
 */
export async function exportedModel(file: string): Promise<ModelIdentity> {
  for await (const { text } of readable(file)) {
    const header = headerLine.safeParse(parsed(text ?? '').value);
    const model = header.success ? parseModel(header.data.model) : undefined;
    if (!header.success || model === undefined) break;
    if (header.data.version > FORMAT_VERSION) {
      throw new UserError(
        'palace-newer',
        `${file} has version ${header.data.version} of the format, this program knows ${FORMAT_VERSION}`,
        { hint: 'update mempalace-toolkit' },
      );
    }
    return model;
  }
  throw new UserError('unreadable', `${file} is no export of a palace`, {
    hint: `its first line must name the format ${FORMAT}: mempalace export --jsonl writes it`,
  });
}

/**
 * Files what an export holds, source by source, each whole or not at all. What is here already stays, unless the
 * export has it newer. What was forgotten here stays forgotten.
 *
 * @throws UserError `interrupted` when the signal aborts; what was filed stays, and another import goes on
 */
export async function importLines(options: ImportOptions): Promise<ImportResult> {
  const importer = new Importer(options);
  let header = true;
  for await (const line of readable(options.file)) {
    options.signal?.throwIfAborted();
    if (!header) await importer.take(line);
    header = false;
  }
  return importer.end();
}

/** A source whose lines are being read. */
interface Current {
  line: SourceLine;
  filed: FiledSource | undefined;
  /** Why its lines are passed over. */
  passed: boolean;
  pieces: TextPiece[];
  drafts: DrawerDraft[];
  marks: DrawerMarks[];
  secrets: Record<string, number>;
  /** Drawers whose vector is said to be another text's: it would be found for that text ever after. */
  foreignVectors: number;
}

class Importer {
  readonly #options: ImportOptions;
  readonly #result: ImportResult = {
    new: 0,
    changed: 0,
    unchanged: 0,
    tombstones: 0,
    drawersAdded: 0,
    drawersRemoved: 0,
    drawersTotal: 0,
    problems: [],
  };
  readonly #tombstones: Tombstone[] = [];
  readonly #forgotten: ReadonlySet<string>;
  #current: Current | undefined;
  #vectors: { hash: Buffer; embedding: Float32Array }[] = [];
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
      const issue = line?.error.issues[0];
      return this.#unreadable(number, problem ?? `${issue?.path.join('.')}: ${issue?.message}`);
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
    // Nobody's export forgets what is filed here.
    const absent = this.#tombstones.filter(
      ({ sourceKey, kind, origin }) =>
        palace.sources.byKey(sourceKey) === undefined &&
        (kind !== 'document' || palace.reading.sourcesNamed(origin).length === 0),
    );
    const before = palace.forgetting.keys().size;
    palace.forgetting.adopt(absent);
    this.#result.tombstones = palace.forgetting.keys().size - before;
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
        await this.#begin(line);
        return;
      case 'text': {
        const current = this.#currentFor(line.source);
        if (current === undefined) return;
        await this.#check(current, line.text);
        const bytes = Buffer.from(line.text, 'utf8');
        current.pieces.push({
          hash: createHash('sha256').update(bytes).digest(),
          body: deflateRawSync(bytes),
        });
        return;
      }
      case 'drawer': {
        const current = this.#currentFor(line.source);
        if (current !== undefined) await this.#draw(current, line);
        return;
      }
      case 'end':
        this.#finish(line.source, line.pieces, line.drawers);
        return;
      case 'done':
        this.#complete = true;
        return;
    }
  }

  async #begin(line: SourceLine): Promise<void> {
    this.#abandon();
    const { palace } = this.#options;
    const filed = palace.sources.byKey(line.source_key);
    const passed = this.#passOver(line, filed);
    const current = {
      line,
      filed,
      passed,
      pieces: [],
      drafts: [],
      marks: [],
      secrets: {},
      foreignVectors: 0,
    };
    this.#current = current;
    if (!passed) await this.#check(current, line.title ?? '');
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

  async #draw(current: Current, line: DrawerLine): Promise<void> {
    const { palace } = this.#options;
    const hash = Buffer.from(line.vector_hash, 'hex');
    const embedding = vectorOf(line, palace.model.dimension);
    await this.#check(current, `${line.text}\n${line.context}`);
    if (!this.#options.keyOf(line.text).equals(hash)) {
      current.foreignVectors += 1;
      return;
    }
    this.#vectors.push({ hash, embedding });
    if (this.#vectors.length >= VECTORS_TOGETHER) this.#keepVectors();
    current.drafts.push({
      text: line.text,
      vectorHash: hash,
      start: line.char_start,
      end: line.char_end,
      lineStart: line.line_start,
      lineEnd: line.line_end,
      context: line.context,
      contentDate: line.content_date,
      role: line.role,
    });
    current.marks.push({
      drawerId: line.drawer_id,
      addedBy: line.added_by,
      setPriority: line.set_priority,
      pinned: line.pinned,
    });
  }

  async #check(current: Current, text: string): Promise<void> {
    for (const [kind, count] of Object.entries(await this.#options.findSecrets(text)))
      current.secrets[kind] = Math.max(current.secrets[kind] ?? 0, count);
  }

  #finish(key: string, pieces: number, drawers: number): void {
    const current = this.#current;
    this.#current = undefined;
    this.#sources += 1;
    this.#options.onProgress?.(this.#sources);
    if (current === undefined || current.line.source_key !== key) {
      this.#problem(key, 'its first line could not be read');
      return;
    }
    if (current.passed) return;
    const { line } = current;
    if (current.foreignVectors > 0) {
      this.#problem(
        line.origin,
        `vectors of other texts stand beside ${current.foreignVectors} of its drawers`,
      );
      return;
    }
    if (current.pieces.length !== pieces || current.drafts.length !== drawers) {
      this.#problem(line.origin, 'lines of it are missing or could not be read');
      return;
    }
    const kinds = Object.keys(current.secrets);
    if (kinds.length > 0) {
      this.#problem(line.origin, `it holds what is redacted today: ${kinds.sort().join(', ')}`, 'held back');
      return;
    }
    const { palace } = this.#options;
    if (line.project_id !== null && !palace.projects.all().some(({ id }) => id === line.project_id)) {
      this.#problem(line.origin, 'the line of its project could not be read');
      return;
    }
    this.#file(current);
  }

  #file({ line, filed, pieces, drafts, marks }: Current): void {
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
            mtimeMs: line.source_mtime,
            bytes: line.bytes,
            hash: line.hash,
            versions: line.versions,
            place: line.place,
            priority: line.priority,
          },
          messages: line.messages,
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
    if (this.#vectors.length > 0) this.#options.palace.vectors.keep(this.#vectors);
    this.#vectors = [];
  }

  /** The source that this line is of, unless its lines are passed over. */
  #currentFor(key: string): Current | undefined {
    const current = this.#current;
    return current === undefined || current.passed || current.line.source_key !== key ? undefined : current;
  }

  /** A source that never came to its end. */
  #abandon(): void {
    const current = this.#current;
    this.#current = undefined;
    if (current !== undefined && !current.passed)
      this.#problem(current.line.origin, 'its last line is missing');
  }

  #unreadable(number: number, detail: string): void {
    this.#problem(`${this.#options.file}:${number}`, detail, 'unreadable line');
  }

  #problem(origin: string, detail: string, reason = 'incomplete'): void {
    this.#result.problems.push({ origin, reason, detail, problem: true });
  }
}

/** What is wrong with a line that has the right shape. */
class LineError extends Error {}

/** @throws LineError */
function vectorOf(line: DrawerLine, dimension: number): Float32Array {
  const bytes = Buffer.from(line.vector, 'base64');
  if (bytes.byteLength !== dimension * 4)
    throw new LineError(`vector: ${bytes.byteLength / 4} numbers instead of ${dimension}`);
  const vector = Float32Array.from({ length: dimension }, (_, index) => bytes.readFloatLE(index * 4));
  if (Math.abs(Math.hypot(...vector) - 1) < 1e-3) return vector;
  throw new LineError('vector: not of unit length');
}

function parsed(text: string): { value?: unknown; problem?: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

async function* readable(file: string): AsyncGenerator<NumberedLine> {
  try {
    yield* linesOf(file);
  } catch (error) {
    if (isErrno(error, 'ENOENT'))
      throw new UserError('not-found', `there is no file ${file}`, { cause: error });
    if (isSystemError(error))
      throw new UserError('unreadable', `${file} cannot be read: ${messageOf(error)}`, { cause: error });
    throw error;
  }
}
