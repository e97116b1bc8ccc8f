import { existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Batch, Project, Skipped, StagedSource } from '../../core/contract.js';
import { isErrno } from '../../core/errors.js';
import { existsAs } from '../../core/marked-path.js';
import { documentKey, pathOfKey } from '../../core/source-key.js';
import { type TimeIsUp, TimeUp } from '../../core/time-up.js';
import { validateWing, wingProblem } from '../../core/wing.js';
import { readManifest } from '../../platform/manifest-file.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { openStaging, type StagedEntry, type Staging } from '../staging/staging.js';
import { commitDates } from './commit-dates.js';
import { readDocument, UnreadDocument } from './read.js';
import type { FoundDocument, Survey } from './survey.js';

/** The folder below the cache root that documents are staged in. */
const STAGING_ROOT = 'mempalace-docs';

export interface StageOptions {
  survey: Survey;
  /** `folder` is what its staging folder is called unless another project of the wing has that name. */
  project: Project;
  wing: string;
  /** The cache root. */
  cache: string;
  sanitiser: Sanitiser;
  /** False for a run with patterns or limits of its own: nothing leaves but what is gone. */
  complete: boolean;
  /** The folder that was surveyed, when it was not the whole project. */
  folder?: string | undefined;
  /** Ids of projects that lie inside this one and are part of it now. */
  absorbs?: string[] | undefined;
  /** Wings where older mirrors of this project, or of those it absorbs, may lie: they leave. */
  previousWings?: string[] | undefined;
  /** Read and write everything again. */
  force: boolean;
  command: string;
  waitMs: number;
  signal?: AbortSignal | undefined;
  /** Asked after each document that was read; then no other one is begun. */
  timeIsUp?: TimeIsUp | undefined;
  /** @param done of `total` bytes */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Files read and written at a time: the disk answers while another is redacted, and memory stays small. */
const AT_A_TIME = 4;

/**
 * Brings the mirror of a project up to date and returns the batch. A document whose size, times and sanitiser
 * are those recorded is not read.
 *
 * `complete.unread` names folders, and also single documents that are there but cannot be read: what is filed
 * of either stays.
 *
 * @throws UserError `locked` when another run holds the wing
 * @throws TimeUp when `timeIsUp` said so before everything was staged (what was staged until then is kept)
 */
export async function stageProject(options: StageOptions): Promise<Batch> {
  const { survey, folder } = options;
  const { staging, project } = await openMirror(options);
  let batch: Batch;
  try {
    const run = new StagingRun(staging, project, options);
    const left = await run.stageAll();
    if (left > 0) {
      await staging.save({ skipped: [], project });
      throw new TimeUp(left);
    }
    const unread = [...survey.unread, ...run.unread];
    staging.sweep((entry) => run.keeps(entry, unread), folder);
    const skipped = [...survey.skipped, ...run.skipped];
    const complete = { project: project.id, unread, folder, absorbs: options.absorbs };
    const record = { skipped, project, complete: options.complete ? complete : undefined };
    await staging.save(record);
    batch = { ...record, sources: run.sources() };
  } finally {
    staging.close();
  }
  await removeOlderMirrors(options, staging.folder);
  return batch;
}

/**
 * What the miner gets to know of a document, but for the staged bytes. Its path is that of the document itself
 * until it has been staged.
 */
export function stagedAs(
  document: FoundDocument,
  project: Project,
  wing: string,
  sanitiser: Sanitiser,
): Omit<StagedSource, 'bytes' | 'hash'> {
  return {
    path: document.absolutePath,
    sourceKey: documentKey(project.id, document.relativePath),
    sourceFile: `${STAGING_ROOT}/${wing}/${project.folder}/${document.relativePath}`,
    origin: document.origin,
    kind: 'document',
    wing,
    room: document.room,
    mtimeMs: document.committedMs ?? document.mtimeMs,
    title: document.title,
    priority: document.priority?.priority,
    priorityFrom: document.priority?.from,
    madeBy: `sanitiser ${sanitiser.version}`,
  };
}

class StagingRun {
  readonly skipped: Skipped[] = [];
  readonly unread: string[] = [];
  readonly #staging: Staging;
  readonly #project: Project;
  readonly #options: StageOptions;
  /** Keys of this batch, in the survey's order. */
  readonly #keys = new Set<string>();
  /** By relative path, of the documents that are read. */
  #dates: ReadonlyMap<string, number> = new Map();
  /** Documents read by this run. */
  #read = 0;

  constructor(staging: Staging, project: Project, options: StageOptions) {
    this.#staging = staging;
    this.#project = project;
    this.#options = options;
  }

  /** Returns how many documents there was no time for, those included that it read; 0 when all are staged. */
  async stageAll(): Promise<number> {
    const { survey, onProgress, signal, timeIsUp } = this.#options;
    const { documents } = survey;
    for (const document of documents) this.#keys.add(this.#keyOf(document));
    // Asked for what is read: of a project in which nothing changed git is not asked.
    const stale = documents.filter((document) => !this.#isStaged(document));
    this.#dates = await commitDates(this.#project.root, stale, signal);
    let next = 0;
    let done = 0;
    let bytes = 0;
    const bytesTotal = documents.reduce((sum, { size }) => sum + size, 0);
    const work = async () => {
      for (let document = documents[next++]; document !== undefined; document = documents[next++]) {
        try {
          signal?.throwIfAborted();
          await this.#stage(document);
        } catch (error) {
          next = documents.length;
          throw error;
        }
        done += 1;
        bytes += document.size;
        onProgress?.(bytes, bytesTotal);
        // What is staged already costs next to nothing: runs that are all too short get further each time.
        if (this.#read > 0 && timeIsUp?.() === true) return;
      }
    };
    // All of them have ended before the lock is released.
    const results = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    return done === documents.length ? 0 : documents.length - done + this.#read;
  }

  sources(): StagedSource[] {
    return [...this.#keys].flatMap((key) => this.#staging.entry(key) ?? []);
  }

  /** Whether a recorded source stays in the mirror. */
  keeps(entry: StagedEntry, unread: readonly string[]): boolean {
    if (this.#keys.has(entry.sourceKey)) return true;
    const path = pathOfKey(entry.sourceKey);
    if (entry.sourceKey !== documentKey(this.#project.id, path)) return false;
    if (unread.some((each) => path === each || path.startsWith(`${each}/`))) return true;
    if (this.#options.complete) return false;
    return existsAs(entry.origin) || existsAs(join(this.#project.root, path));
  }

  #isStaged(document: FoundDocument): boolean {
    const known = this.#staging.entry(this.#keyOf(document));
    return !this.#options.force && known?.fingerprint === this.#fingerprintOf(document);
  }

  /** Raised when what is recorded beside the text changes: `dated` came with the dates of commits. */
  #fingerprintOf({ size, mtimeMs, ctimeMs }: FoundDocument): string {
    return `${size} ${mtimeMs} ${ctimeMs} sanitiser ${this.#options.sanitiser.version}, dated`;
  }

  async #stage(found: FoundDocument): Promise<void> {
    const { sanitiser, wing, force } = this.#options;
    const known = this.#staging.entry(this.#keyOf(found));
    const isStaged = this.#isStaged(found);
    const committedMs = isStaged ? known?.mtimeMs : this.#dates.get(found.relativePath);
    const document = { ...found, committedMs };
    const source = stagedAs(document, this.#project, wing, sanitiser);
    const fingerprint = this.#fingerprintOf(found);
    if (known !== undefined && isStaged) {
      const { room, origin, priority, priorityFrom } = source;
      const placed = known.room === room && known.origin === origin;
      if (placed && known.priority === priority && known.priorityFrom === priorityFrom) return;
      const { path, sourceFile, bytes, hash, redacted } = known;
      this.#staging.put({ ...source, path, sourceFile, bytes, hash, redacted, fingerprint });
      return;
    }
    try {
      const { content, redacted, hash, bytes } = await readDocument(document, sanitiser);
      this.#read += 1;
      const same = known !== undefined && known.hash === hash && known.mtimeMs === source.mtimeMs && !force;
      const file = same
        ? { path: known.path, sourceFile: known.sourceFile, bytes, hash }
        : await this.#staging.write(document.relativePath, content, source.mtimeMs);
      this.#staging.put({ ...source, ...file, redacted, fingerprint });
      await this.#staging.keep({ skipped: [], project: this.#project });
    } catch (error) {
      const skipped = skippedFor(document, error);
      if (skipped === undefined) throw error;
      this.#keys.delete(source.sourceKey);
      this.skipped.push(skipped);
      if (skipped.problem === true) this.unread.push(document.relativePath);
    }
  }

  #keyOf(document: FoundDocument): string {
    return documentKey(this.#project.id, document.relativePath);
  }
}

/** Opens the staging folder of a project, under another name when the usual one is another project's. */
async function openMirror(options: StageOptions): Promise<{ staging: Staging; project: Project }> {
  const { cache, project, command, waitMs, signal } = options;
  const wing = validateWing(options.wing);
  const plain = safeFolder(project.folder);
  const long = plain.endsWith(project.id.slice(0, 6)) ? plain : `${plain}-${project.id.slice(0, 6)}`;
  const at = (folder: string) => join(cache, STAGING_ROOT, wing, folder);
  const open = (folder: string) => {
    const sourceFilePrefix = `${STAGING_ROOT}/${wing}/${folder}`;
    return openStaging({ folder: at(folder), sourceFilePrefix, command, waitMs, signal });
  };
  // Once under the longer name, always under it: the usual one may have become free meanwhile.
  for (const folder of existsSync(at(long)) ? [long, plain] : [plain, long]) {
    const staging = await open(folder);
    if (staging.owner === undefined || staging.owner === project.id) {
      return { staging, project: { ...project, folder } };
    }
    staging.close();
  }
  throw new Error(`two projects with the same id in ${wing}: ${project.id}`);
}

/** A directory's name as one segment that is neither hidden nor too long to carry a suffix. */
function safeFolder(name: string): string {
  const clean = name
    .normalize('NFC')
    .replace(/[\p{Cc}/\\]/gu, '_')
    .replace(/^\.+/, '_');
  let folder = '';
  for (const character of clean) {
    if (Buffer.byteLength(folder + character) > 200) break;
    folder += character;
  }
  return folder === '' ? '_' : folder;
}

/** Else `mempalace mine` on the whole cache would file what they hold beside what lies in `current`. */
async function removeOlderMirrors(options: StageOptions, current: string): Promise<void> {
  const { cache, previousWings = [], absorbs = [], wing, project, command, waitMs, signal } = options;
  const wings = new Set(absorbs.length > 0 ? [wing, ...previousWings] : previousWings);
  for (const older of wings) {
    if (wingProblem(older) !== undefined) continue;
    for (const folder of mirrorsIn(join(cache, STAGING_ROOT, older), new Set([project.id, ...absorbs]))) {
      if (folder === current) continue;
      const sourceFilePrefix = `${STAGING_ROOT}/${older}/${basename(folder)}`;
      const staging = await openStaging({ folder, sourceFilePrefix, command, waitMs, signal });
      rmSync(folder, { recursive: true, force: true });
      staging.close();
    }
  }
}

/** How a document is counted that could not be read or staged; undefined when the whole run has to end. */
function skippedFor(document: FoundDocument, error: unknown): Skipped | undefined {
  if (error instanceof UnreadDocument) return error.skipped;
  if (!isErrno(error, 'ENAMETOOLONG')) return undefined;
  return { origin: document.origin, reason: 'path too long to stage', problem: true };
}

/** Staging folders of these projects in a wing. */
function mirrorsIn(wingFolder: string, projects: ReadonlySet<string>): string[] {
  if (!existsSync(wingFolder)) return [];
  return readdirSync(wingFolder, { withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => join(wingFolder, item.name))
    .filter((folder) => projects.has(readManifest(folder)?.project?.id ?? ''));
}
