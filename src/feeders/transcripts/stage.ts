import { join } from 'node:path';
import type { Batch, Skipped } from '../../common/contract.js';
import { messageOf, UserError } from '../../common/errors.js';
import { TimeUp } from '../../common/time-up.js';
import type { Sanitiser } from '../../sanitiser/index.js';
import { inPieces } from '../in-pieces.js';
import { roomOf, transcriptName } from '../slug.js';
import { openStaging, type StagedEntry, type Staging } from '../staging.js';
import { SessionCleaner } from './cleaner.js';
import { writeFingerprint } from './fingerprint.js';
import { type LineCounts, type StagedHead, stagedLines } from './lines.js';
import { STAGING_ROOT, type TranscriptOptions, type TranscriptSurvey, type WorkItem } from './options.js';
import { madeBy } from './survey.js';

/**
 * Writes the transcripts that are not staged yet, or not as they should be, below
 * `<cache>/mempalace-session/<wing>/<harness>/`, and returns one batch for each wing touched, with every chosen
 * conversation of it. Everything that was passed over is in the first.
 *
 * @throws UserError `locked` when another run holds a wing's staging folder, `interrupted` on the signal (what was
 *   staged until then is kept)
 * @throws TimeUp when `timeIsUp` said so before everything was staged (what was staged until then is kept)
 */
export async function stageTranscripts(
  survey: TranscriptSurvey,
  options: TranscriptOptions,
): Promise<Batch[]> {
  return new Stager(survey, options).run();
}

/** A transcript as it would be staged: for who wants to compare it. */
export async function transcriptOf(
  item: WorkItem,
  session: SessionCleaner,
): Promise<{
  head: StagedHead;
  lines: AsyncIterable<string>;
  counts: LineCounts;
  redacted: Record<string, number>;
}> {
  const { conversation, leftOut } = item;
  const { identity, harness, sourceKey } = conversation;
  const cleaner = session.transcript();
  const counts: LineCounts = { lines: 0, malformed: [] };
  const clean = async (text: string | undefined) => (text === undefined ? undefined : cleaner.text(text));
  const head = {
    harness: sourceKey.slice(0, sourceKey.indexOf(':')),
    sessionId: identity.sessionId,
    agentId: identity.agentId,
    title: await clean(item.title),
    cwd: await clean(item.directory),
  };
  // What is said of the transcript itself is said again in it, and counted there.
  for (const kind of Object.keys(cleaner.redacted)) delete cleaner.redacted[kind];
  const lines = stagedLines(head, harness.read(conversation), leftOut, cleaner, counts);
  return { head, lines, counts, redacted: cleaner.redacted };
}

/** What a transcript would be staged as. `day` is that on which it was begun, `YYYY-MM-DD`. */
export async function describeTranscript(
  item: WorkItem,
  sanitiser: Sanitiser,
): Promise<{ sourceFile: string; title: string | undefined; day: string | undefined; messages: number }> {
  const { head } = await transcriptOf(item, new SessionCleaner(sanitiser));
  const { begun } = item.conversation.identity;
  return {
    sourceFile: `${STAGING_ROOT}/${item.wing}/${nameOf(item, head)}`,
    title: head.title,
    day: begun === undefined ? undefined : /^\d{4}-\d{2}-\d{2}/.exec(begun)?.[0],
    messages: item.messages,
  };
}

class Stager {
  readonly #survey: TranscriptSurvey;
  readonly #options: TranscriptOptions;
  readonly #stagings = new Map<string, Staging>();
  readonly #batches = new Map<string, Batch>();
  readonly #skipped: Skipped[];
  /** Transcripts written by this run. */
  #written = 0;

  constructor(survey: TranscriptSurvey, options: TranscriptOptions) {
    this.#survey = survey;
    this.#options = options;
    this.#skipped = [...survey.skipped];
  }

  async run(): Promise<Batch[]> {
    try {
      for (const wing of this.#wings()) await this.#open(wing);
      await this.#stageAll();
      const { forgotten } = this.#options;
      for (const staging of this.#stagings.values())
        staging.sweep(({ sourceKey }) => forgotten?.has(sourceKey) !== true);
    } catch (error) {
      if (!(error instanceof TimeUp)) this.#interrupted();
      throw error;
    } finally {
      await this.#close();
    }
    const batches = [...this.#batches.values()];
    const [first] = batches;
    if (first === undefined) return [{ sources: [], skipped: this.#skipped }];
    first.skipped.push(...this.#skipped);
    return batches;
  }

  /** In one order for every run, so that two runs never wait for each other's wings. */
  #wings(): string[] {
    const { items, contained, wingsOf } = this.#survey;
    const wings = new Set(contained.map(({ wing }) => wing));
    for (const { wing, conversation } of items) {
      wings.add(wing);
      for (const other of wingsOf(conversation.sourceKey)) wings.add(other);
    }
    for (const { sourceKey } of contained) for (const other of wingsOf(sourceKey)) wings.add(other);
    return [...wings].sort();
  }

  async #open(wing: string): Promise<void> {
    this.#interrupted();
    const { cache, command, waitMs, signal } = this.#options;
    // The signal ends the wait for the lock, but not the writing of the manifest after it.
    const waiting = new AbortController();
    const stop = () => waiting.abort();
    signal?.addEventListener('abort', stop);
    try {
      const staging = await openStaging({
        folder: join(cache, STAGING_ROOT, wing),
        sourceFilePrefix: `${STAGING_ROOT}/${wing}`,
        command,
        waitMs,
        signal: waiting.signal,
      });
      this.#stagings.set(wing, staging);
      this.#batches.set(wing, { sources: [], skipped: [] });
    } finally {
      signal?.removeEventListener('abort', stop);
    }
  }

  async #stageAll(): Promise<void> {
    const { items, contained } = this.#survey;
    for (const { sourceKey, wing, standsIn } of contained) {
      this.#dropElsewhere(sourceKey, undefined);
      const batch = this.#batch(wing);
      batch.contained ??= [];
      batch.contained.push({ sourceKey, standsIn });
    }
    let done = 0;
    for (const session of sessionsOf(items)) {
      const cleaner = new SessionCleaner(this.#options.sanitiser);
      for (const item of session) {
        this.#interrupted();
        // What is staged already costs next to nothing: runs that are all too short get further each time.
        if (this.#written > 0 && this.#options.timeIsUp?.() === true)
          throw new TimeUp(this.#written + items.length - done);
        await this.#place(item, cleaner);
        done += 1;
        this.#options.onProgress?.(done, items.length);
      }
    }
  }

  async #place(item: WorkItem, cleaner: SessionCleaner): Promise<void> {
    const { sourceKey } = item.conversation;
    try {
      const entry = this.#current(item) ?? (await this.#write(item, cleaner));
      this.#dropElsewhere(sourceKey, entry === undefined ? undefined : item.wing);
      if (entry !== undefined) this.#batch(item.wing).sources.push(entry);
    } catch (error) {
      this.#interrupted();
      if (error instanceof UserError) throw error;
      this.#skip(item, 'unreadable', messageOf(error), true);
    }
  }

  #current({ current, wing, conversation, mtimeMs }: WorkItem): StagedEntry | undefined {
    const entry = current ? this.#staging(wing).entry(conversation.sourceKey) : undefined;
    if (entry === undefined || entry.mtimeMs !== mtimeMs) return undefined;
    const { room } = this.#options;
    return room === undefined ? entry : { ...entry, room };
  }

  async #write(item: WorkItem, cleaner: SessionCleaner): Promise<StagedEntry | undefined> {
    const { conversation, wing, mtimeMs } = item;
    const { sourceKey, harness, identity, files } = conversation;
    const staging = this.#staging(wing);
    const { head, lines, counts, redacted } = await transcriptOf(item, cleaner);
    const name = nameOf(item, head);
    const file = await staging.write(name, inPieces(lines, this.#options.signal), mtimeMs);
    this.#written += 1;
    for (const detail of counts.malformed) this.#skip(item, 'unreadable line', detail, true);
    if (counts.lines === 0) {
      staging.drop(sourceKey);
      this.#skip(item, 'nothing to keep');
      return undefined;
    }
    const [origin] = [...files].sort((a, b) => b.mtimeMs - a.mtimeMs);
    const { room } = this.#options;
    const entry: StagedEntry = {
      ...file,
      sourceKey,
      origin: origin?.path ?? '',
      kind: 'conversation',
      wing,
      room: room ?? roomOf(head.cwd ?? ''),
      mtimeMs,
      title: head.title,
      sessionId: identity.sessionId,
      directory: head.cwd,
      madeBy: madeBy(conversation, this.#options.sanitiser.version),
      ...(Object.keys(redacted).length > 0 ? { redacted } : {}),
      ...(counts.malformed.length > 0 ? { unparsedRows: counts.malformed.length } : {}),
      ...(item.standsIn.length > 0 ? { standsIn: [...item.standsIn] } : {}),
      ...(item.copyKeys.length > 0 ? { copyKeys: [...item.copyKeys] } : {}),
      fingerprint: writeFingerprint({
        files: files.map(({ path, mtimeMs, size, holds, range }) => ({ path, mtimeMs, size, holds, range })),
        session: item.session,
        harness: harness.name,
        keyHarness: identity.harness,
        sessionId: identity.sessionId,
        agentId: identity.agentId,
        begun: identity.begun,
        copiedFrom: identity.copiedFrom === undefined ? undefined : [...identity.copiedFrom],
        messages: item.messages,
        covered: item.covered,
      }),
    };
    staging.put(entry);
    await staging.keep({ skipped: [] });
    return entry;
  }

  #dropElsewhere(sourceKey: string, wing: string | undefined): void {
    for (const [other, staging] of this.#stagings) if (other !== wing) staging.drop(sourceKey);
  }

  #skip({ conversation }: WorkItem, reason: string, detail?: string, problem?: true): void {
    const [{ path: origin } = { path: conversation.sourceKey }] = conversation.files;
    this.#skipped.push({ origin, reason, detail, problem });
  }

  #interrupted(): void {
    if (this.#options.signal?.aborted !== true) return;
    throw new UserError('interrupted', 'interrupted; what was staged until now is kept');
  }

  async #close(): Promise<void> {
    for (const [wing, staging] of this.#stagings) {
      try {
        const { skipped, contained } = this.#batch(wing);
        await staging.save(contained === undefined ? { skipped } : { skipped, contained });
      } finally {
        staging.close();
      }
    }
  }

  #staging(wing: string): Staging {
    const staging = this.#stagings.get(wing);
    if (staging === undefined) throw new Error(`the staging folder of ${wing} is not open`);
    return staging;
  }

  #batch(wing: string): Batch {
    const batch = this.#batches.get(wing);
    if (batch === undefined) throw new Error(`no batch for ${wing}`);
    return batch;
  }
}

/** `<harness>/<slug>_<session id>.jsonl`, and `<harness>/<slug>_<session id>_<agent id>.jsonl` of a sub-agent. */
function nameOf({ conversation: { sourceKey } }: WorkItem, { harness, title }: StagedHead): string {
  const id = sourceKey.slice(sourceKey.indexOf(':') + 1).replace('/', '_');
  return `${harness.replace(/[^\w-]+/g, '_') || 'other'}/${transcriptName('', title ?? '', id)}`;
}

/** The conversations of each session together. */
function sessionsOf(items: readonly WorkItem[]): WorkItem[][] {
  const sessions = new Map<string, WorkItem[]>();
  for (const item of items) {
    const { sessionKey } = item.conversation;
    const there = sessions.get(sessionKey);
    if (there === undefined) sessions.set(sessionKey, [item]);
    else there.push(item);
  }
  return [...sessions.values()];
}
