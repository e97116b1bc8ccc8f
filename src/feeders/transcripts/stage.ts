import type { Batch, Skipped } from '../../core/contract.js';
import { messageOf, UserError } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { parseSourceKey } from '../../core/source-key.js';
import { TimeUp } from '../../core/time-up.js';
import { cleanPath, cleanPaths, type Sanitiser, type Scope } from '../../sanitiser/index.js';
import { containsSecret } from '../staging/contains-secret.js';
import { placeOf } from '../staging/in-project.js';
import { transcriptName } from '../staging/slug.js';
import type { StagedEntry } from '../staging/staging.js';
import { StagedWings } from '../staging/wings.js';
import { fileId, STAGING_ROOT, writeFingerprint } from './fingerprint.js';
import { readConversation } from './joined.js';
import { stagedLines, TranscriptCleaner } from './lines.js';
import { changedOf, type TranscriptOptions, type TranscriptSurvey, type WorkItem } from './options.js';
import { madeBy } from './survey.js';
import { inBelievedTime, latestTime } from './times.js';

/**
 * Writes missing and outdated transcripts below `<cache>/mempalace-session/<wing>/<harness>/`. Returns one batch per
 * affected wing, with all its chosen conversations. The first batch contains all skips.
 *
 * On these errors the staged transcripts are kept:
 *
 * @throws UserError `locked` when another run has locked a wing's staging folder, `interrupted` on the signal
 * @throws TimeUp when `timeIsUp` is true before everything is staged
 */
export async function stageTranscripts(
  survey: TranscriptSurvey,
  options: TranscriptOptions,
): Promise<Batch[]> {
  return new Stager(survey, options).run();
}

/** A transcript as it would be staged. @param sanitiser the scope of its session, if that has several transcripts */
export async function transcriptOf({ conversation, leftOut, ...item }: WorkItem, sanitiser: Sanitiser) {
  const { identity, sourceKey } = conversation;
  const { kind } = parseSourceKey(sourceKey);
  const clean = async (text: string | undefined) => text && (await sanitiser.clean(text)).text;
  const head = {
    harness: kind,
    sessionId: identity.sessionId,
    agentId: identity.agentId,
    title: await clean(item.title),
    cwd: await clean(item.directory),
  };
  // `<harness>/<slug>_<session id>.jsonl`, for a sub-agent `<harness>/<slug>_<session id>_<agent id>.jsonl`.
  const id = sourceKey.slice(sourceKey.indexOf(':') + 1).replace('/', '_');
  const name = `${kind.replace(/[^\w-]+/g, '_') || 'other'}/${transcriptName('', head.title ?? '', id)}`;
  // The lines repeat title and folder, and count their redactions.
  const counts = new TranscriptCleaner(sanitiser);
  const entries = inBelievedTime(
    readConversation(conversation),
    latestTime(conversation.files),
    identity.begun,
  );
  return { head, name, lines: stagedLines(head, entries, leftOut, counts), counts };
}

/** How a transcript would be staged. `day` is the day of its beginning, `YYYY-MM-DD`. */
export async function describeTranscript(item: WorkItem, sanitiser: Sanitiser) {
  const { head, name } = await transcriptOf(item, sanitiser.scope());
  const day = item.conversation.identity.begun?.match(/^\d{4}-\d{2}-\d{2}/)?.[0];
  return {
    sourceFile: `${STAGING_ROOT}/${item.wing}/${name}`,
    title: head.title,
    day,
    messages: item.messages,
  };
}

class Stager {
  readonly #wings: StagedWings;
  readonly #skipped: Skipped[];

  constructor(
    private readonly survey: TranscriptSurvey,
    private readonly options: TranscriptOptions,
  ) {
    const { manifests } = survey;
    this.#wings = new StagedWings({ ...options, root: STAGING_ROOT, manifests });
    this.#skipped = [...survey.skipped];
  }

  async run(): Promise<Batch[]> {
    const { wings } = this.survey;
    const cleaned = () => cleanedSkips(this.#skipped, this.options.sanitiser);
    if (wings.size === 0) return [{ sources: [], skipped: await cleaned() }];
    return this.#wings.stage(wings, [], async () => {
      await this.#stageAll();
      this.#wings.batches[0]?.skipped.push(...(await cleaned()));
    });
  }

  async #stageAll(): Promise<void> {
    const { items, contained } = this.survey;
    for (const { wing, ...facts } of contained) this.#wings.contain(wing, facts);
    let done = 0;
    for (const session of sessionsOf(items)) {
      this.#wings.throwIfInterrupted();
      const { advances } = this.#wings;
      if (advances > 0 && this.options.timeIsUp?.() === true)
        throw new TimeUp(items.length - done, this.#wings.staged());
      await this.#stageSession(session);
      done += session.length;
      this.options.onProgress?.(done, items.length);
    }
  }

  /** Stages a session with its sub-agents: a secret that one of them reveals is redacted in all. */
  async #stageSession(items: readonly WorkItem[]): Promise<void> {
    const entries = items.map((item) => this.#current(item));
    // Secrets are not stored, so unchanged transcripts are staged again to learn theirs.
    const isCurrent = entries.every((entry) => entry !== undefined);
    const scope = this.options.sanitiser.scope();
    const made: { item: WorkItem; entry: StagedEntry; known: number }[] = [];
    for (const [index, item] of items.entries()) {
      const current = isCurrent ? entries[index] : undefined;
      const entry = current ?? (await this.#attempt(item, scope));
      this.#wings.drop(item.conversation.sourceKey, entry === undefined ? undefined : item.wing);
      if (entry === undefined) continue;
      this.#wings.batch(item.wing).sources.push(entry);
      this.#wings.reveal(item.wing, entry.sourceKey, scope);
      if (current === undefined) made.push({ item, entry, known: scope.known });
    }
    for (const { item, entry, known } of made) {
      if (known === scope.known || !(await containsSecret(entry.path, scope, this.options.signal))) continue;
      const again = await this.#attempt(item, scope);
      const { sources } = this.#wings.batch(item.wing);
      sources.splice(sources.indexOf(entry), 1, ...(again === undefined ? [] : [again]));
      // A transcript that still contains a secret is not filed.
      if (again === undefined) this.#wings.staging(item.wing).drop(entry.sourceKey);
    }
    for (const { item } of made) await this.#wings.staging(item.wing).keep({ skipped: [] });
  }

  async #attempt(item: WorkItem, scope: Scope): Promise<StagedEntry | undefined> {
    try {
      return await this.#write(item, scope);
    } catch (error) {
      this.#wings.throwIfInterrupted();
      if (error instanceof UserError) throw error;
      this.#skip(item, 'unreadable', messageOf(error), true);
      return undefined;
    }
  }

  #current({ current, wing, conversation, mtimeMs }: WorkItem): StagedEntry | undefined {
    const entry = current ? this.#wings.staging(wing).entry(conversation.sourceKey) : undefined;
    if (entry === undefined || entry.mtimeMs !== mtimeMs) return undefined;
    const { room } = this.options;
    return room === undefined ? entry : { ...entry, room };
  }

  async #write(item: WorkItem, scope: Scope): Promise<StagedEntry | undefined> {
    const { conversation, wing, mtimeMs } = item;
    const { sourceKey, harness, identity, files, copies } = conversation;
    const { signal } = this.options;
    const staging = this.#wings.staging(wing);
    const before = scope.known;
    const make = async () => {
      const { name, lines, ...transcript } = await transcriptOf(item, scope);
      return { ...transcript, file: await staging.write(name, lines, mtimeMs, { signal }) };
    };
    let made = await make();
    // The file may contain the secret before the place that revealed it.
    if (scope.known > before && (await containsSecret(made.file.path, scope, signal))) made = await make();
    const { file, head, counts } = made;
    const { redacted, malformed } = counts;
    for (const detail of malformed) this.#skip(item, 'unreadable line', detail, true);
    if (counts.lines === 0) {
      staging.drop(sourceKey);
      this.#skip(item, 'nothing to keep');
      return undefined;
    }
    const [origin] = [...files].sort((a, b) => changedOf(b) - changedOf(a));
    const { room } = this.options;
    const place = placeOf(head.cwd, staging.entry(sourceKey) ?? this.options.filed.get(sourceKey));
    const entry: StagedEntry = {
      ...file,
      sourceKey,
      origin: await cleanPath(origin?.path ?? '', this.options.sanitiser),
      kind: 'conversation',
      wing,
      room: room ?? place.room,
      mtimeMs,
      title: head.title,
      sessionId: identity.sessionId,
      directory: place.directory,
      madeBy: madeBy(conversation, this.options.sanitiser.version),
      ...(Object.keys(redacted).length > 0 ? { redacted } : {}),
      ...(malformed.length > 0 ? { unparsedRows: malformed.length } : {}),
      ...(item.standsIn.length > 0 ? { standsIn: [...item.standsIn], leftOut: counts.omitted } : {}),
      ...(item.copyKeys.length > 0 ? { copyKeys: [...item.copyKeys] } : {}),
      fingerprint: writeFingerprint({
        ...identity,
        keyHarness: identity.harness,
        harness: harness.name,
        files: await Promise.all(
          files.map(async (file) => ({
            ...file,
            id: fileId(file.path),
            path: await cleanPath(file.path, this.options.sanitiser),
          })),
        ),
        copies: copies.map(({ path, mtimeMs: changedMs, size }) => ({
          id: fileId(path),
          mtimeMs: changedMs,
          size,
        })),
        session: item.session,
        messages: item.messages,
        covered: numberAtBeginning(item.leftOut),
      }),
    };
    staging.put(entry);
    return entry;
  }

  #skip({ conversation }: WorkItem, reason: string, detail?: string, problem?: true): void {
    this.#skipped.push({ origin: conversation.files[0].path, reason, detail, problem });
  }
}

/** Removes secrets from the paths of skips, so that they may be stored and shown. */
export async function cleanedSkips(skips: readonly Skipped[], sanitiser: Sanitiser): Promise<Skipped[]> {
  const details = skips.flatMap(({ detail }) => (detail === undefined ? [] : [detail]));
  const shown = await cleanPaths([...new Set([...skips.map(({ origin }) => origin), ...details])], sanitiser);
  return skips.map((skip) => {
    const origin = shown(skip.origin);
    if (skip.detail === undefined) return { ...skip, origin };
    return { ...skip, origin, detail: shown(skip.detail.replaceAll(skip.origin, origin)) };
  });
}

function numberAtBeginning(leftOut: WorkItem['leftOut']): number {
  let number = 0;
  while (leftOut.has(number)) number += 1;
  return number;
}

export function sessionsOf(items: readonly WorkItem[]): WorkItem[][] {
  return [...groupBy(items, ({ conversation }) => conversation.sessionKey).values()];
}
