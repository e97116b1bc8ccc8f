import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import {
  type AnnouncedSource,
  announcedSourceSchema,
  type Batch,
  type BatchHead,
  batchHeadSchema,
  type Skipped,
  type StagedSource,
} from '../core/contract.js';
import { UserError } from '../core/errors.js';
import { sha256 } from '../core/hash.js';
import { PRIVATE_FILE } from '../core/modes.js';
import { markIn } from '../core/project-id.js';
import { makeFolder } from '../platform/make-folder.js';
import { isInside } from '../platform/manifest-file.js';
import type { Sanitiser } from '../sanitiser/index.js';
import { cleanedSource, hashProblem, keyProblem } from './staged-elsewhere.js';

/** In the palace's folder: what other machines send, until it is filed. */
const FOLDER = 'received';
/** An upload whose client has ended is removed after this time. */
const KEPT_MS = 24 * 3_600_000;

/** Sources that another machine of this user has staged, on their way into the palace. */
export class Upload {
  private constructor(readonly folder: string) {}

  /** Makes a new one, and removes those that were left. @throws the file system's error */
  static begin(palace: string, nowMs = Date.now()): Upload {
    const all = join(palace, FOLDER);
    makeFolder(all);
    for (const name of readdirSync(all)) {
      const stat = statSync(join(all, name), { throwIfNoEntry: false });
      if (stat !== undefined && stat.mtimeMs < nowMs - KEPT_MS)
        rmSync(join(all, name), { recursive: true, force: true });
    }
    const folder = join(all, randomUUID());
    makeFolder(folder);
    return new Upload(folder);
  }

  /** @throws UserError `not-found` */
  static of(palace: string, id: string): Upload {
    return Upload.at(join(palace, FOLDER, id));
  }

  /** @throws UserError `not-found` */
  static at(folder: string): Upload {
    if (!existsSync(folder))
      throw new UserError('not-found', 'what was sent is not there any more', { hint: 'run it again' });
    return new Upload(folder);
  }

  get id(): string {
    return basename(this.folder);
  }

  /** Adds a page of sources to a batch. @param head counts with its first page */
  announce(batch: number, head: BatchHead, sources: readonly AnnouncedSource[]): void {
    const file = this.#batchFile(batch);
    const lines = [...(existsSync(file) ? [] : [head]), ...sources];
    appendFileSync(file, lines.map((each) => `${JSON.stringify(each)}\n`).join(''), { mode: PRIVATE_FILE });
  }

  /**
   * Adds to the text of a source.
   *
   * @param offset bytes before it; 0 begins again
   * @throws UserError `failed` if it does not follow what is there
   */
  add(sourceKey: string, offset: number, bytes: Buffer): void {
    const file = openSync(this.textFile(sourceKey), offset === 0 ? 'w' : 'a', PRIVATE_FILE);
    try {
      if (fstatSync(file).size !== offset)
        throw new UserError('failed', 'a part of a text is missing', { hint: 'run it again' });
      writeSync(file, bytes);
    } finally {
      closeSync(file);
    }
  }

  textFile(sourceKey: string): string {
    return join(this.folder, `${sha256(sourceKey)}.text`);
  }

  *batches(): Generator<{ head: BatchHead; sources: AnnouncedSource[] }> {
    for (let batch = 0; existsSync(this.#batchFile(batch)); batch += 1) {
      const [head, ...sources] = readFileSync(this.#batchFile(batch), 'utf8').trimEnd().split('\n');
      yield {
        head: batchHeadSchema.parse(JSON.parse(head ?? '')),
        sources: sources.map((each) => announcedSourceSchema.parse(JSON.parse(each))),
      };
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #batchFile(batch: number): string {
    return join(this.folder, `batch-${batch}.jsonl`);
  }
}

/**
 * What was announced, as the miner files it: keys must have a feeder's form, projects must be that machine's own, and all
 * text is sanitised again. A source without its text was not wanted: it is filed already.
 *
 * @param mark of the machine
 * @param unsent keys of sources whose text did not come in time: they are left out
 */
export async function receivedBatch(
  upload: Upload,
  { project, complete, contained }: BatchHead,
  sources: readonly AnnouncedSource[],
  {
    mark,
    sanitiser,
    unsent = new Set(),
  }: { mark: string; sanitiser: Sanitiser; unsent?: ReadonlySet<string> },
): Promise<Batch> {
  const skipped: Skipped[] = [];
  const wrong = (origin: string, detail: string): void => {
    skipped.push({ origin, reason: 'not as a feeder stages', detail, problem: true });
  };
  const isOwn = project === undefined || markIn(project.id) === mark;
  if (!isOwn) wrong(project.root, 'the project is that of another machine');
  const taken: StagedSource[] = [];
  for (const { path, ...announced } of isOwn ? sources : []) {
    if (unsent.has(announced.sourceKey)) continue;
    const text = upload.textFile(announced.sourceKey);
    const source = { ...announced, path: text };
    const problem = isInside(path)
      ? (keyProblem(source, path, project) ?? (existsSync(text) ? await hashProblem(source) : undefined))
      : `staged path ${JSON.stringify(path)}`;
    if (problem === undefined) taken.push(await cleanedSource(source, sanitiser));
    else wrong(announced.origin, problem);
  }
  const isWhole = taken.length === sources.length && complete?.project === project?.id;
  return {
    project: isOwn ? project : undefined,
    sources: taken,
    skipped,
    ...(isWhole && { complete, contained }),
  };
}
