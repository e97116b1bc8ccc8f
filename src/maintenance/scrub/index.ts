import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import type { Embedder } from '../../embedding/index.js';
import { EmbeddingQueue } from '../../miner/embedding-queue.js';
import { addCounts, type Scope, type TracingSanitiser } from '../../sanitiser/index.js';
import {
  type ArchivedSource,
  containsSome,
  type Fact,
  type Filing,
  keptBackups,
  type Palace,
  type RunStamp,
  type SourceWords,
} from '../../store/index.js';
import { cleanFiled } from './filed-text.js';
import { isCleanAsOf, rewritten, versionsAsOf } from './rewrite.js';

export { cleanFiled } from './filed-text.js';

export interface ScrubScope {
  wing?: string | undefined;
  /** Also check sources that the sanitiser of this version has already seen. */
  all: boolean;
}

interface UncleanSource {
  source: ArchivedSource;
  redacted: Record<string, number>;
  /** All sources of its session, including itself. */
  together: readonly ArchivedSource[];
}

export interface Findings {
  unclean: UncleanSource[];
  clean: ArchivedSource[];
}

/** Checks the filed sources one by one; changes nothing. */
export async function findUnclean(
  palace: Palace,
  sanitiser: TracingSanitiser,
  { wing, all }: ScrubScope,
  signal?: AbortSignal,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Findings> {
  const findings: Findings = { unclean: [], clean: [] };
  const total = palace.archive.count(wing);
  const isToDo = ({ versions }: ArchivedSource) => all || !isCleanAsOf(versions, sanitiser.version);
  let done = 0;
  // A session is checked with its sub-agents, other sources alone.
  const sessions = groupBy(palace.archive.sources(wing), ({ id, sessionId }) => sessionId ?? `source ${id}`);
  for (const together of sessions.values()) {
    signal?.throwIfAborted();
    done += together.length;
    if (together.some(isToDo)) {
      const known = await learnedFrom(palace, together, sanitiser, signal);
      for (const source of together) {
        const redacted = await redactionsIn(wordsOf(palace, source), known);
        if (Object.keys(redacted).length > 0) findings.unclean.push({ source, redacted, together });
        else if (isToDo(source)) findings.clean.push(source);
      }
    }
    onProgress(done, total);
  }
  return findings;
}

/** A scope that knows all secrets of sources that belong together. */
async function learnedFrom(
  palace: Palace,
  together: readonly ArchivedSource[],
  sanitiser: TracingSanitiser,
  signal: AbortSignal | undefined,
): Promise<Scope> {
  const scope = sanitiser.scope();
  for (const source of together) {
    signal?.throwIfAborted();
    await redactionsIn(wordsOf(palace, source), scope);
  }
  return scope;
}

function wordsOf({ sources }: Palace, source: ArchivedSource): SourceWords {
  return { ...source, text: () => sources.textOf(source.id), turns: () => sources.turnsOf(source.id) };
}

async function redactionsIn(
  { kind, title, directory, text, turns }: SourceWords,
  sanitiser: TracingSanitiser,
): Promise<Record<string, number>> {
  const { redacted } = await cleanFiled(kind, text(), sanitiser, turns());
  for (const words of [title, directory]) addCounts(redacted, (await sanitiser.clean(words ?? '')).redacted);
  return redacted;
}

/** A kept backup that contains text which the current rules redact, or may contain it. */
export interface UncleanBackup {
  file: string;
  /** `unreadable`: its content is not known. */
  state: 'holds' | 'unreadable';
}

/**
 * The kept backups that contain unclean sources or facts, and those that cannot be read.
 *
 * @param isUncleanFact undefined: facts are not tested
 * @throws UserError when another program locks a backup
 */
export async function uncleanBackups(
  folder: string,
  sanitiser: TracingSanitiser,
  { wing, all }: ScrubScope,
  isUncleanFact: ((fact: Fact) => Promise<boolean>) | undefined,
): Promise<UncleanBackup[]> {
  const isUnclean = async (source: SourceWords) =>
    (wing === undefined || source.wing === wing) &&
    (all || !isCleanAsOf(source.versions, sanitiser.version)) &&
    Object.keys(await redactionsIn(source, sanitiser)).length > 0;
  const found: UncleanBackup[] = [];
  for (const { file, damaged } of keptBackups(folder)) {
    try {
      if (damaged) found.push({ file, state: 'unreadable' });
      else if (await containsSome(file, isUnclean, isUncleanFact)) found.push({ file, state: 'holds' });
    } catch (error) {
      if (!(error instanceof UserError) || !['palace-damaged', 'palace-newer'].includes(error.code))
        throw error;
      found.push({ file, state: 'unreadable' });
    }
  }
  return found;
}

export interface ScrubOptions {
  palace: Palace;
  sanitiser: TracingSanitiser;
  run: RunStamp;
  /** Starts the embedder; called only when a text must be embedded. */
  embedder: () => Promise<Embedder>;
  signal?: AbortSignal | undefined;
}

export interface ScrubResult {
  drawersAdded: number;
  drawersRemoved: number;
  embedded: number;
  runs: number;
  /** False when a reader kept the WAL, which still contains old pages. */
  logEmptied: boolean;
}

/**
 * Applies the current rules to the findings of `findUnclean`; copies elsewhere must be erased first. Each session is
 * filed again in one transaction, unless an agent has removed or changed it meanwhile. Vectors, words, free pages and the
 * WAL contain nothing of the removed text afterwards. To be called under the run lock. After a kill, calling it again
 * continues: finished sources have the current version.
 *
 * @throws the signal's reason; finished sources stay
 */
export async function scrub(
  { unclean, clean }: Findings,
  { palace, sanitiser, run, embedder, signal }: ScrubOptions,
): Promise<ScrubResult> {
  const queue = new EmbeddingQueue({ palace, embedder });
  let [drawersAdded, drawersRemoved] = [0, 0];
  for (const [together, found] of groupBy(unclean, (each) => each.together)) {
    const known = await learnedFrom(palace, together, sanitiser, signal);
    const filings: { source: ArchivedSource; filing: Filing }[] = [];
    for (const { source } of found) {
      signal?.throwIfAborted();
      filings.push({ source, filing: await rewritten(palace, source, known, queue) });
      await queue.drain();
    }
    // All or none: a clean source no longer reveals the secrets that the others still contain.
    palace.transaction(() => {
      for (const { source, filing } of filings) {
        // Removed, or written again under today's rules, since it was read.
        if (!isAsRead(palace, source)) continue;
        const change = palace.file(filing, run);
        drawersAdded += change.added;
        drawersRemoved += change.removed;
      }
    });
  }
  const runs = await scrubRuns(palace, sanitiser);
  palace.transaction(() => {
    for (const { id, versions } of clean)
      if (!isCleanAsOf(versions, sanitiser.version))
        palace.sources.setVersions(id, versionsAsOf(versions, sanitiser.version));
  });
  const { embedded } = queue;
  return { drawersAdded, drawersRemoved, embedded, runs, logEmptied: palace.clearTraces() };
}

function isAsRead({ sources }: Palace, read: ArchivedSource): boolean {
  const now = sources.byKey(read.sourceKey);
  return now?.hash === read.hash && now.wing === read.wing && now.room === read.room;
}

/** Removes secrets from the records of runs: titles and details of skipped sources. */
async function scrubRuns(palace: Palace, sanitiser: TracingSanitiser): Promise<number> {
  let changed = 0;
  for (const { id, skipped } of palace.runs.skips()) {
    const { value, redacted } = await sanitiser.cleanValue(skipped);
    if (Object.keys(redacted).length === 0 || !Array.isArray(value)) continue;
    palace.runs.rewriteSkips(id, value);
    changed += 1;
  }
  return changed;
}
