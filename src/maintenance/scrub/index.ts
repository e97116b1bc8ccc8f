import { UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import type { Embedder } from '../../embedding/index.js';
import { EmbeddingQueue } from '../../miner/embedding-queue.js';
import { addCounts, type Scope, type TracingSanitiser } from '../../sanitiser/index.js';
import type { ArchivedSource, Filing, Palace, RunStamp, SourceWords } from '../../store/index.js';
import { cleanFiled } from './filed-text.js';
import { isCleanAsOf, rewritten, versionsAsOf } from './rewrite.js';

export { cleanFiled } from './filed-text.js';

export interface ScrubScope {
  wing?: string | undefined;
  /** Also check sources that the sanitiser of this version has already seen. */
  all: boolean;
}

/** A filed source with text that the current rules redact. */
interface UncleanSource {
  source: ArchivedSource;
  /** Count per kind. */
  redacted: Record<string, number>;
  /** All sources of its session, including itself. */
  together: readonly ArchivedSource[];
}

export interface Findings {
  /** Number of checked sources. */
  looked: number;
  unclean: UncleanSource[];
  /** Sources that need no change. */
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
  const findings: Findings = { looked: 0, unclean: [], clean: [] };
  const total = palace.archive.count(wing);
  const isToDo = ({ versions }: ArchivedSource) => all || !isCleanAsOf(versions, sanitiser.version);
  let done = 0;
  for (const together of sourcesTogether(palace, wing)) {
    interruptIfAborted(signal);
    done += together.length;
    if (together.some(isToDo)) {
      const known = await learnedFrom(palace, together, sanitiser, signal);
      for (const source of together) {
        const redacted = await redactionsIn(wordsOf(palace, source), known);
        const isUncleanNow = Object.keys(redacted).length > 0;
        if (isUncleanNow || isToDo(source)) findings.looked += 1;
        if (isUncleanNow) findings.unclean.push({ source, redacted, together });
        else if (isToDo(source)) findings.clean.push(source);
      }
    }
    onProgress(done, total);
  }
  return findings;
}

/** One list per session, including its sub-agents; other sources alone. */
function sourcesTogether(palace: Palace, wing: string | undefined): Iterable<ArchivedSource[]> {
  return groupBy(palace.archive.sources(wing), ({ id, sessionId }) => sessionId ?? `source ${id}`).values();
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
    interruptIfAborted(signal);
    await redactionsIn(wordsOf(palace, source), scope);
  }
  return scope;
}

type Words = Pick<SourceWords, 'text' | 'turns'> & { [name in 'title' | 'directory']: string | null } & {
  kind: string;
};

function wordsOf(palace: Palace, source: ArchivedSource): Words {
  return {
    ...source,
    text: () => palace.sources.textOf(source.id),
    turns: () => palace.sources.turnsOf(source.id),
  };
}

/** Whether a source of any palace file contains text that the current rules redact. */
export async function isUnclean(
  source: SourceWords,
  sanitiser: TracingSanitiser,
  { wing, all }: ScrubScope,
): Promise<boolean> {
  if (wing !== undefined && source.wing !== wing) return false;
  if (!all && isCleanAsOf(source.versions, sanitiser.version)) return false;
  return Object.keys(await redactionsIn(source, sanitiser)).length > 0;
}

async function redactionsIn(
  { kind, title, directory, text, turns }: Words,
  sanitiser: TracingSanitiser,
): Promise<Record<string, number>> {
  const filedAs = kind === 'conversation' ? 'conversation' : 'document';
  const redacted: Record<string, number> = {};
  addCounts(redacted, (await cleanFiled(filedAs, text(), sanitiser, turns())).redacted);
  for (const words of [title, directory])
    if (words !== null && words !== '') addCounts(redacted, (await sanitiser.clean(words)).redacted);
  return redacted;
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
  /** Records of runs in which a name was redacted. */
  runs: number;
  /** False when a reader kept the WAL, which still contains old pages. */
  logEmptied: boolean;
}

/**
 * Applies the current rules to the findings of `findUnclean`; copies elsewhere must be erased first. Each session is
 * filed again in one transaction. Vectors, words, free pages and the WAL contain nothing of the removed text afterwards.
 * To be called under the run lock. After a kill, calling it again continues: finished sources have the current version.
 *
 * @throws UserError `interrupted` when the signal aborts; finished sources stay
 */
export async function scrub(
  { unclean, clean }: Findings,
  { palace, sanitiser, run, embedder, signal }: ScrubOptions,
): Promise<ScrubResult> {
  const queue = new EmbeddingQueue({ palace, embedder, refresh: false });
  let [drawersAdded, drawersRemoved] = [0, 0];
  for (const [together, found] of groupBy(unclean, (each) => each.together)) {
    const known = await learnedFrom(palace, together, sanitiser, signal);
    const filings: Filing[] = [];
    for (const { source } of found) {
      interruptIfAborted(signal);
      filings.push(await rewritten(palace, source, known, queue));
      await queue.drain();
    }
    // All or none: a clean source no longer reveals the secrets that the others still contain.
    palace.transaction(() => {
      for (const filing of filings) {
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

function interruptIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new UserError('interrupted', 'interrupted', {
    hint: 'scrubbed sources stay; mempalace scrub continues from here',
    cause: signal.reason,
  });
}
