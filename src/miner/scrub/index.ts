import { UserError } from '../../common/errors.js';
import { addCounts, type TracingSanitiser } from '../../sanitiser/index.js';
import type { ArchivedSource, Palace, RunStamp, SourceWords } from '../../store/index.js';
import type { Embedder } from '../embed/index.js';
import { EmbeddingQueue } from '../embedding-queue.js';
import { traceFiled } from './filed-text.js';
import { rewritten } from './rewrite.js';
import { asOf, isOf } from './versions.js';

export { traceFiled } from './filed-text.js';

/** What is to be looked at. */
export interface ScrubScope {
  wing?: string | undefined;
  /** Also what the sanitiser of today's version has seen already. */
  all: boolean;
}

/** A filed source that holds what today's rules redact. */
export interface UncleanSource {
  source: ArchivedSource;
  /** By kind. */
  redacted: Record<string, number>;
}

export interface Findings {
  /** Sources that were looked at. */
  looked: number;
  unclean: UncleanSource[];
  /** Sources that need no change. */
  clean: Pick<ArchivedSource, 'id' | 'versions'>[];
}

/** Looks through what is filed, source by source; changes nothing. */
export async function findUnclean(
  palace: Palace,
  sanitiser: TracingSanitiser,
  scope: ScrubScope,
  { signal, onProgress }: Watch = {},
): Promise<Findings> {
  const findings: Findings = { looked: 0, unclean: [], clean: [] };
  const total = palace.archive.count(scope.wing);
  let done = 0;
  for (const source of palace.archive.sources(scope.wing)) {
    interruptIfAborted(signal);
    done += 1;
    if (scope.all || !isOf(source.versions, sanitiser.version)) {
      findings.looked += 1;
      const text = palace.sources.textOf(source.id);
      const redacted = await redactionsIn({ ...source, text: () => text }, sanitiser);
      if (Object.keys(redacted).length > 0) findings.unclean.push({ source, redacted });
      else findings.clean.push({ id: source.id, versions: source.versions });
    }
    onProgress?.(done, total);
  }
  return findings;
}

/** Whether a source of any palace file holds what today's rules redact. */
export async function isUnclean(
  source: SourceWords,
  sanitiser: TracingSanitiser,
  { wing, all }: ScrubScope,
): Promise<boolean> {
  if (wing !== undefined && source.wing !== wing) return false;
  if (!all && isOf(source.versions, sanitiser.version)) return false;
  return Object.keys(await redactionsIn(source, sanitiser)).length > 0;
}

async function redactionsIn(
  { kind, title, directory, text }: Pick<SourceWords, 'kind' | 'text'> & Titles,
  sanitiser: TracingSanitiser,
): Promise<Record<string, number>> {
  const whole = text();
  const kept = kind === 'conversation' ? 'conversation' : 'document';
  const redacted: Record<string, number> = {};
  addCounts(redacted, (await traceFiled(kept, whole, sanitiser)).redacted);
  for (const words of [title, directory])
    if (words !== null && words !== '') addCounts(redacted, (await sanitiser.clean(words)).redacted);
  return redacted;
}

type Titles = { [name in 'title' | 'directory']: string | null };

interface Watch {
  signal?: AbortSignal | undefined;
  onProgress?: ((done: number, total: number) => void) | undefined;
}

export interface ScrubOptions extends ScrubScope, Watch {
  palace: Palace;
  sanitiser: TracingSanitiser;
  run: RunStamp;
  /** Starts the embedder; called when a text needs it. */
  embedder: () => Promise<Embedder>;
  /** Called with what is found before any of it is filed anew: their copies elsewhere are to be erased first. */
  beforeFiling: (unclean: readonly UncleanSource[]) => Promise<void>;
}

export interface ScrubResult {
  looked: number;
  scrubbed: UncleanSource[];
  drawersAdded: number;
  drawersRemoved: number;
  embedded: number;
  /** Records of runs in which a name was redacted. */
  runs: number;
  /** False when a reader kept the log, which still holds old pages. */
  logEmptied: boolean;
}

/**
 * Applies today's rules to what is filed. Each source is filed anew in one transaction; vectors, words, free pages
 * and the log keep nothing of what was taken out. To be called under the run lock. Done again after a kill it
 * completes what was begun: what is done has today's version, the rest has not.
 *
 * @throws UserError `interrupted` when the signal aborts; what was done stays
 */
export async function scrub(options: ScrubOptions): Promise<ScrubResult> {
  const { palace, sanitiser, run, signal } = options;
  const found = await findUnclean(palace, sanitiser, options, options);
  await options.beforeFiling(found.unclean);
  const queue = new EmbeddingQueue({ palace, embedder: options.embedder, refresh: false });
  const result: ScrubResult = {
    looked: found.looked,
    scrubbed: found.unclean,
    drawersAdded: 0,
    drawersRemoved: 0,
    embedded: 0,
    runs: 0,
    logEmptied: true,
  };
  for (const { source } of found.unclean) {
    interruptIfAborted(signal);
    const filing = await rewritten(palace, source, sanitiser, queue);
    await queue.drain();
    const change = palace.file(filing, run);
    result.drawersAdded += change.added;
    result.drawersRemoved += change.removed;
  }
  result.embedded = queue.embedded;
  result.runs = await scrubRuns(palace, sanitiser);
  palace.transaction(() => {
    for (const { id, versions } of found.clean)
      if (!isOf(versions, sanitiser.version))
        palace.sources.setVersions(id, asOf(versions, sanitiser.version));
  });
  result.logEmptied = palace.clearTraces();
  return result;
}

/** Takes secrets out of what runs recorded: titles and details of what they passed over. */
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
    hint: 'what was scrubbed stays; mempalace scrub goes on from here',
    cause: signal.reason,
  });
}
