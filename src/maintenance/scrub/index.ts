import { UserError } from '../../core/errors.js';
import type { Embedder } from '../../embedding/index.js';
import { EmbeddingQueue } from '../../miner/embedding-queue.js';
import { addCounts, type Scope, type TracingSanitiser } from '../../sanitiser/index.js';
import type { ArchivedSource, Filing, Palace, RunStamp, SourceWords } from '../../store/index.js';
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
  /** The sources of its session, itself among them. */
  together: readonly ArchivedSource[];
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
  for (const together of sourcesTogether(palace, scope.wing)) {
    interruptIfAborted(signal);
    done += together.length;
    const isToDo = ({ versions }: ArchivedSource) => scope.all || !isOf(versions, sanitiser.version);
    if (together.some(isToDo)) {
      const known = await learnedFrom(palace, together, sanitiser, signal);
      for (const source of together) {
        const redacted = await redactionsIn(wordsOf(palace, source), known);
        const isUncleanNow = Object.keys(redacted).length > 0;
        if (isUncleanNow || isToDo(source)) findings.looked += 1;
        if (isUncleanNow) findings.unclean.push({ source, redacted, together });
        else if (isToDo(source)) findings.clean.push({ id: source.id, versions: source.versions });
      }
    }
    onProgress?.(done, total);
  }
  return findings;
}

/** Sources by key; those of one session, its sub-agents' among them, in one list. */
function sourcesTogether(palace: Palace, wing: string | undefined): Iterable<ArchivedSource[]> {
  const together = new Map<string, ArchivedSource[]>();
  for (const source of palace.archive.sources(wing)) {
    const group = source.sessionId ?? `source ${source.id}`;
    const known = together.get(group);
    if (known === undefined) together.set(group, [source]);
    else known.push(source);
  }
  return together.values();
}

/** The scope of sources that belong together, which knows all that they give away. */
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

function wordsOf(
  palace: Palace,
  source: ArchivedSource,
): ArchivedSource & Pick<SourceWords, 'text' | 'turns'> {
  return {
    ...source,
    text: () => palace.sources.textOf(source.id),
    turns: () => palace.sources.turnsOf(source.id),
  };
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
  { kind, title, directory, text, turns }: Pick<SourceWords, 'kind' | 'text' | 'turns'> & Titles,
  sanitiser: TracingSanitiser,
): Promise<Record<string, number>> {
  const whole = text();
  const kept = kind === 'conversation' ? 'conversation' : 'document';
  const redacted: Record<string, number> = {};
  addCounts(redacted, (await traceFiled(kept, whole, sanitiser, turns())).redacted);
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
  /** Called with what is found before any of it is filed again: their copies elsewhere are to be erased first. */
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
 * Applies today's rules to what is filed. Each source is filed again in one transaction; vectors, words, free pages
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
  for (const [together, sources] of byScope(found.unclean)) {
    const known = await learnedFrom(palace, together, sanitiser, signal);
    const filings: Filing[] = [];
    for (const source of sources) {
      interruptIfAborted(signal);
      filings.push(await rewritten(palace, source, known, queue));
      await queue.drain();
    }
    // All or none: one that is clean gives away no more what the others still have.
    palace.transaction(() => {
      for (const filing of filings) {
        const change = palace.file(filing, run);
        result.drawersAdded += change.added;
        result.drawersRemoved += change.removed;
      }
    });
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

function byScope(unclean: readonly UncleanSource[]): Map<readonly ArchivedSource[], ArchivedSource[]> {
  const companies = new Map<readonly ArchivedSource[], ArchivedSource[]>();
  for (const { source, together } of unclean)
    companies.set(together, [...(companies.get(together) ?? []), source]);
  return companies;
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
