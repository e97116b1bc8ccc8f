import type { Recleaning } from '../core/contract.js';
import { isSystemError, messageOf, UserError } from '../core/errors.js';
import { addCounts } from '../sanitiser/index.js';
import { type PendingText, STATISTICS_FROM } from '../store/index.js';
import { hasCheckpoints, type PreparedCheckpoints, prepareCheckpoints } from './checkpoints.js';
import { reasonToHoldBack } from './hold-back.js';
import { withLost } from './keep/index.js';
import type { Mining } from './mining.js';
import type { PlannedSource } from './plan.js';
import { type PreparedSource, prepareSource, Stopped } from './prepare.js';
import { relocate } from './relocate.js';

/** Limits of a transaction: sources, and their drawers and text (UTF-16 units), which one source may exceed. */
const SOURCES_TOGETHER = 64;
const DRAWERS_TOGETHER = 512;
const CHARS_TOGETHER = 4 * 1024 * 1024;
/**
 * Texts that may wait for the embedder while sources are read. A run with more of them files all sources before it embeds
 * the others, so that every text is soon found by words.
 */
const TEXTS_MEANWHILE = 8_192;
/** A run with more bytes to read embeds nothing before, since reading and embedding share the processor. */
const BYTES_MEANWHILE = 16 * 1024 * 1024;

/**
 * Reads and files sources. Their texts are embedded meanwhile, up to `TEXTS_MEANWHILE`; a failure of the embedder does not
 * stop it.
 *
 * @returns number of sources that were left because the time was up
 * @throws the signal's reason, or what the palace throws
 */
export async function fileSources(mining: Mining, planned: readonly PlannedSource[]): Promise<number> {
  const { signal, result, report } = mining;
  const group = new Group();
  const embedding = new Meanwhile(mining, planned);
  let done = 0;
  // The palace's statistics are renewed then, and after each doubling.
  let optimizeAt = STATISTICS_FROM;
  const fileGroup = () => {
    const sources = group.take();
    if (sources.length === 0) return;
    const pending = fileTogether(mining, sources);
    embedding.add(pending);
    done += sources.length;
    report.filed(sources, pending);
    if (result.drawersAdded < optimizeAt) return;
    mining.palace.optimize();
    optimizeAt = 2 * result.drawersAdded;
  };
  const timeIsUp = () => mining.timeIsUp?.() === true;
  const stop = () => timeIsUp() && (group.sources > 0 || result.new + result.changed > 0);
  report.say();
  for (const source of planned) {
    signal?.throwIfAborted();
    if (timeIsUp()) {
      fileGroup();
      if (stop()) break;
    }
    // What a fork leaves out is looked up in its originals.
    if (source.filed !== undefined && (source.source.standsIn ?? []).length > 0) fileGroup();
    report.reading(source.source.bytes);
    try {
      const prepared = await prepareSource(source, {
        ...mining,
        stop,
        hasCheckpoints: hasCheckpoints(source, mining),
      });
      const whole = (await withLost(prepared, mining.palace, await recleaningOf(source, mining))) ?? prepared;
      group.add({ ...whole, checkpoints: await prepareCheckpoints(whole, mining) });
    } catch (error) {
      if (error instanceof Stopped) break;
      signal?.throwIfAborted();
      if (!isUnreadable(error)) throw error;
      mining.failed.add(source.source.sourceKey);
      const { origin } = source.source;
      result.problems.push({ origin, reason: 'unreadable', detail: messageOf(error), problem: true });
      done += 1;
      report.filed([source], []);
    }
    if (group.isFull) fileGroup();
  }
  signal?.throwIfAborted();
  fileGroup();
  return planned.length - done;
}

/** The feeder's knowledge of the session, else the current rules. */
async function recleaningOf(
  { recleaning, filed, record }: PlannedSource,
  { sanitiser }: Mining,
): Promise<Recleaning | undefined> {
  if (recleaning !== undefined || sanitiser === undefined || filed?.versions === record.versions)
    return recleaning;
  const scope = sanitiser.scope();
  return async (text, place) => (await scope.clean(text, place)).text;
}

interface WithCheckpoints extends PreparedSource {
  checkpoints: PreparedCheckpoints;
}

class Group {
  #waiting: WithCheckpoints[] = [];
  #drawers = 0;
  #chars = 0;

  add(source: WithCheckpoints): void {
    this.#waiting.push(source);
    for (const { drafts, chars } of [source, ...source.checkpoints.prepared]) {
      this.#drawers += drafts.length;
      this.#chars += chars;
    }
  }

  get sources(): number {
    return this.#waiting.length;
  }

  get isFull(): boolean {
    const { sources } = this;
    return sources >= SOURCES_TOGETHER || this.#drawers >= DRAWERS_TOGETHER || this.#chars >= CHARS_TOGETHER;
  }

  take(): WithCheckpoints[] {
    const taken = this.#waiting;
    [this.#waiting, this.#drawers, this.#chars] = [[], 0, 0];
    return taken;
  }
}

/** Embeds while sources are read. Texts that it leaves are pending in the palace. */
class Meanwhile {
  readonly #queue: Mining['queue'];
  #texts: number;

  constructor({ queue, timeIsUp }: Mining, planned: readonly PlannedSource[]) {
    this.#queue = queue;
    const bytes = planned.reduce((sum, { source }) => sum + source.bytes, 0);
    const most = bytes > BYTES_MEANWHILE ? 0 : TEXTS_MEANWHILE;
    this.#texts = timeIsUp === undefined ? most : 2 * queue.waveTexts;
  }

  add(texts: readonly PendingText[]): void {
    for (const text of texts) {
      const { added, embedded, hasFailed } = this.#queue;
      if (hasFailed || added - embedded >= this.#texts) this.#texts = 0;
      if (this.#texts === 0) return;
      this.#queue.add(text);
    }
  }
}

/** Whether the source itself failed, not the embedder or the palace. */
function isUnreadable(error: unknown): boolean {
  return isSystemError(error) || (error instanceof UserError && error.code === 'unreadable');
}

function fileTogether(
  { palace, run, addedBy, force: refreshVectors = false, result, failed }: Mining,
  sources: readonly WithCheckpoints[],
): PendingText[] {
  const pending: PendingText[] = [];
  palace.transaction(() => {
    for (const prepared of sources) {
      const { source, filed } = prepared;
      if (isNoConversation(prepared)) {
        // Feeders do not write such a file.
        result.problems.push({ origin: source.origin, reason: 'not a transcript', problem: true });
        failed.add(source.sourceKey);
        continue;
      }
      for (const detail of prepared.problems) {
        result.problems.push({ origin: source.origin, reason: 'unreadable line', detail, problem: true });
      }
      const reason = reasonToHoldBack(prepared, palace, failed);
      if (reason !== undefined) {
        failed.add(source.sourceKey);
        result.problems.push({ origin: source.origin, reason: 'held back', detail: reason, problem: true });
        continue;
      }
      if (filed === undefined) result.new += 1;
      else result.changed += 1;
      const { gone } = prepared;
      if (gone !== undefined && gone.newly > 0)
        result.lost.push({ origin: source.origin, messages: gone.newly });
      for (const each of [prepared, ...prepared.checkpoints.prepared]) {
        const change = palace.file({ ...each, source: each.record, addedBy, refreshVectors }, run);
        result.drawersAdded += change.added;
        result.drawersRemoved += change.removed;
        for (const text of change.pending) pending.push(text);
      }
      for (const each of prepared.checkpoints.toRelocate) relocate(palace, each);
      result.drawersRemoved += palace.removeAll(prepared.checkpoints.gone);
      addCounts(result.redacted, source.redacted ?? {});
      addCounts(result.redacted, prepared.redacted);
    }
  });
  return pending;
}

/** Not filed, so that every run reports it; for filed sources, `reasonToHoldBack` decides. */
function isNoConversation({ source, filed, drafts }: PreparedSource): boolean {
  return source.kind === 'conversation' && filed === undefined && drafts.length === 0;
}
