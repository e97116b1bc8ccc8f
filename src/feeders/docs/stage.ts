import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { believedChange } from '../../core/believed-time.js';
import type { Batch, Project, Skipped, StagedSource } from '../../core/contract.js';
import { isErrno } from '../../core/errors.js';
import { existsAs } from '../../core/marked-path.js';
import { documentKey, pathOfKey } from '../../core/source-key.js';
import { TimeUp } from '../../core/time-up.js';
import { validateWing, wingProblem } from '../../core/wing.js';
import { readManifest } from '../../platform/manifest-file.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { foldersIn } from '../staging/staged-files.js';
import { openStaging, type StagedEntry, type Staging } from '../staging/staging.js';
import type { ConversationOptions } from '../staging/wings.js';
import { commitDates } from './commit-dates.js';
import type { IdentifiedProject } from './project.js';
import { readDocument, UnreadDocument } from './read.js';
import type { FoundDocument } from './survey.js';

const STAGING_ROOT = 'mempalace-docs';

export interface StageOptions
  extends Omit<IdentifiedProject, 'root' | 'known' | 'coldRooms'>,
    Pick<
      ConversationOptions,
      'cache' | 'command' | 'waitMs' | 'signal' | 'sanitiser' | 'force' | 'timeIsUp'
    > {
  /** In bytes. */
  onProgress?: ((done: number, total: number) => void) | undefined;
}

/** Files in progress at a time: one is read while another is redacted, and memory stays small. */
const AT_A_TIME = 4;

/**
 * Updates the mirror of a project and returns the batch. A document whose recorded size, times and sanitiser still
 * apply is not read.
 *
 * `complete.unread` names folders and documents that exist but cannot be read: their drawers stay.
 *
 * @throws UserError `locked` when another run has locked the wing
 * @throws TimeUp when `timeIsUp` is true before everything is staged; what is staged then is kept
 */
export async function stageProject(options: StageOptions): Promise<Batch> {
  const { survey, folder } = options;
  const { staging, project } = await openMirror(options);
  let batch: Batch;
  try {
    const run = new StagingRun(staging, project, options);
    const left = await run.stageAll();
    if (left > 0) {
      const record = { skipped: [], project };
      await staging.save(record);
      throw new TimeUp(left, [{ ...record, sources: run.sources() }]);
    }
    const complete = completeness({ ...options, project }, run.unread);
    staging.sweep((entry) => run.keeps(entry, complete.unread), folder);
    const skipped = [...survey.skipped, ...run.skipped];
    const record = { skipped, project, complete: options.complete ? complete : undefined };
    await staging.save(record);
    batch = { ...record, sources: run.sources() };
  } finally {
    staging.close();
  }
  await removeOlderMirrors(options, staging.folder);
  return batch;
}

/** What a complete run says of its project. @param unread documents that could not be read, beside those of the survey */
export function completeness(
  { project, survey, folder, absorbs }: Pick<IdentifiedProject, 'project' | 'survey' | 'folder' | 'absorbs'>,
  unread: readonly string[],
) {
  const { testData } = survey;
  return { project: project.id, unread: [...survey.unread, ...unread], testData, folder, absorbs };
}

/** A document's record for the miner, without the staged bytes. Until it is staged, `path` is the original's. */
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
    mtimeMs: document.committedMs ?? believedChange(document),
    title: document.title,
    priority: document.priority?.priority,
    priorityFrom: document.priority?.from,
    givenType: document.givenType,
    madeBy: `sanitiser ${sanitiser.version}`,
  };
}

class StagingRun {
  readonly skipped: Skipped[] = [];
  readonly unread: string[] = [];
  /** In the survey's order. */
  readonly #keys = new Set<string>();
  /** By relative path. */
  #dates: ReadonlyMap<string, number> = new Map();

  constructor(
    private readonly staging: Staging,
    private readonly project: Project,
    private readonly options: StageOptions,
  ) {}

  /** @returns how many documents are left */
  async stageAll(): Promise<number> {
    const { survey, onProgress, signal, timeIsUp } = this.options;
    const { documents } = survey;
    for (const document of documents) this.#keys.add(this.#keyOf(document));
    // Only for documents that are read: if nothing changed, git is not called.
    const stale = documents.filter((document) => !this.#isStaged(document));
    this.#dates = await commitDates(this.project.root, stale, signal);
    let next = 0;
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
        bytes += document.size;
        onProgress?.(bytes, bytesTotal);
        if (this.staging.advances > 0 && timeIsUp?.() === true) return;
      }
    };
    // All workers end before the lock is released.
    const results = await Promise.allSettled(Array.from({ length: AT_A_TIME }, work));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    signal?.throwIfAborted();
    const left = documents.slice(next);
    for (const document of left) this.#keys.delete(this.#keyOf(document));
    return left.length;
  }

  sources(): StagedSource[] {
    return [...this.#keys].flatMap((key) => this.staging.entry(key) ?? []);
  }

  keeps(entry: StagedEntry, unread: readonly string[]): boolean {
    if (this.#keys.has(entry.sourceKey)) return true;
    const path = pathOfKey(entry.sourceKey);
    if (entry.sourceKey !== documentKey(this.project.id, path)) return false;
    if (unread.some((each) => path === each || path.startsWith(`${each}/`))) return true;
    if (this.options.complete) return false;
    return existsAs(entry.origin) || existsAs(join(this.project.root, path));
  }

  #isStaged(document: FoundDocument): boolean {
    const known = this.staging.entry(this.#keyOf(document));
    return !this.options.force && known?.fingerprint === this.#fingerprintOf(document);
  }

  /** Its suffix changes with the recorded fields: `dated` came with the dates of commits. */
  #fingerprintOf({ size, mtimeMs, ctimeMs }: FoundDocument): string {
    return `${size} ${mtimeMs} ${ctimeMs} sanitiser ${this.options.sanitiser.version}, dated`;
  }

  async #stage(found: FoundDocument): Promise<void> {
    const { sanitiser, signal, wing, force } = this.options;
    const known = this.staging.entry(this.#keyOf(found));
    const isStaged = this.#isStaged(found);
    const committedMs = isStaged ? known?.mtimeMs : this.#dates.get(found.relativePath);
    const document = { ...found, committedMs };
    const source = stagedAs(document, this.project, wing, sanitiser);
    const fingerprint = this.#fingerprintOf(found);
    if (known !== undefined && isStaged) {
      const { path, sourceFile, bytes, hash, redacted } = known;
      this.staging.put({ ...source, path, sourceFile, bytes, hash, redacted, fingerprint });
      return;
    }
    try {
      const { content, redacted, hash, bytes } = await readDocument(document, sanitiser);
      const same = known !== undefined && known.hash === hash && known.mtimeMs === source.mtimeMs && !force;
      const file = same
        ? { path: known.path, sourceFile: known.sourceFile, bytes, hash }
        : await this.staging.write(document.relativePath, content, source.mtimeMs, { signal });
      this.staging.put({ ...source, ...file, redacted, fingerprint });
      await this.staging.keep({ skipped: [], project: this.project });
    } catch (error) {
      const skipped = skippedFor(document, error);
      if (skipped === undefined) throw error;
      this.#keys.delete(source.sourceKey);
      this.skipped.push(skipped);
      if (skipped.problem === true) this.unread.push(document.relativePath);
    }
  }

  #keyOf(document: FoundDocument): string {
    return documentKey(this.project.id, document.relativePath);
  }
}

/** Opens the staging folder of a project. It gets a longer name when another project has the usual one. */
async function openMirror(options: StageOptions): Promise<{ staging: Staging; project: Project }> {
  const { cache, project } = options;
  const wing = validateWing(options.wing);
  const plain = safeFolder(project.folder);
  const long = plain.endsWith(project.id.slice(0, 6)) ? plain : `${plain}-${project.id.slice(0, 6)}`;
  // A project with the longer name keeps it, even when the usual name becomes free.
  const hasLong = existsSync(join(cache, STAGING_ROOT, wing, long));
  for (const folder of hasLong ? [long, plain] : [plain, long]) {
    const staging = await openStaging({ ...options, prefix: `${STAGING_ROOT}/${wing}/${folder}` });
    if (staging.owner === undefined || staging.owner === project.id) {
      return { staging, project: { ...project, folder } };
    }
    staging.close();
  }
  throw new Error(`two projects with the same id in ${wing}: ${project.id}`);
}

/** A directory's name as one path segment: not hidden, and short enough for a suffix. */
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

/** Otherwise `mempalace mine` on the whole cache would file their contents in addition to those of `current`. */
async function removeOlderMirrors(options: StageOptions, current: string): Promise<void> {
  const { cache, previousWings, absorbs, wing, project } = options;
  const ids = new Set([project.id, ...absorbs]);
  for (const older of new Set(absorbs.length > 0 ? [wing, ...previousWings] : previousWings)) {
    if (wingProblem(older) !== undefined) continue;
    for (const name of foldersIn(join(cache, STAGING_ROOT, older))) {
      const folder = join(cache, STAGING_ROOT, older, name);
      if (folder === current || !ids.has(readManifest(folder)?.project?.id ?? '')) continue;
      const staging = await openStaging({ ...options, prefix: `${STAGING_ROOT}/${older}/${name}` });
      rmSync(folder, { recursive: true, force: true });
      staging.close();
    }
  }
}

/** The record of a document that could not be read or staged. Undefined when the whole run has to end. */
function skippedFor(document: FoundDocument, error: unknown): Skipped | undefined {
  if (error instanceof UnreadDocument) return error.skipped;
  if (!isErrno(error, 'ENAMETOOLONG')) return undefined;
  return { origin: document.origin, reason: 'path too long to stage', problem: true };
}
