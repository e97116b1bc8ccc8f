import { latestBelievable } from '../../core/believed-time.js';
import type { Skipped } from '../../core/contract.js';
import { messageOf } from '../../core/errors.js';
import { groupBy } from '../../core/group-by.js';
import { sha256 } from '../../core/hash.js';
import { plural } from '../../core/plural.js';
import { shortTitle } from '../../core/short-names.js';
import { buildSourceKey, parseSourceKey } from '../../core/source-key.js';
import { validateWing } from '../../core/wing.js';
import { ReadAhead, readStaged } from '../staging/read-staged.js';
import { DEFAULT_WING, FORGOTTEN } from '../staging/wings.js';
import { type Candidate, type Copied, findOriginals, inAgeOrder, judge, namesOf } from './copies.js';
import { type ConversationFacts, factsOf } from './facts.js';
import { findConversations, NO_TRANSCRIPT, OLDER_COPY } from './find.js';
import { type StagedBefore, stagedBefore } from './fingerprint.js';
import {
  type Conversation,
  changedOf,
  type TranscriptOptions,
  type TranscriptSurvey,
  type WorkItem,
} from './options.js';

const COPY = 'copy with nothing of its own';
/** Limit for following forks of forks to the first session. */
const MOST_FORKS = 20;
/** Increase it when the same entries give other staged files. */
const STAGER_VERSION = 2;
const MADE_HERE = 'transcripts ';

/** The versions of the code that made a staged transcript. */
export function madeBy({ harness }: Pick<Conversation, 'harness'>, sanitiserVersion: number): string {
  return `${MADE_HERE}${STAGER_VERSION}, ${harness.name} ${harness.version ?? 1}, sanitiser ${sanitiserVersion}`;
}

/**
 * Decides for every transcript whether this run files it, and why not. Nothing is written, and unchanged staged
 * transcripts are not opened.
 *
 * @throws UserError `usage` when the wing is not a valid folder name
 */
export async function surveyTranscripts(options: TranscriptOptions): Promise<TranscriptSurvey> {
  if (options.wing !== undefined) validateWing(options.wing);
  return new Surveyor(options).run();
}

class Surveyor {
  readonly #manifests = new ReadAhead();
  readonly #staged: Map<string, StagedBefore[]>;
  readonly #skipped: Skipped[] = [];
  readonly #contained: TranscriptSurvey['contained'] = [];
  readonly #candidates = new Map<string, Candidate>();

  constructor(private readonly options: TranscriptOptions) {
    this.#staged = readStaged(options.cache, stagedBefore, this.#manifests);
  }

  async run(): Promise<TranscriptSurvey> {
    const found = await findConversations(this.options, this.#staged);
    this.#skipped.push(...found.skipped);
    this.#enter(found.conversations);
    const all = [...this.#candidates.values()];
    const { filed, forgotten } = this.options;
    const exists = (key: string) =>
      this.#candidates.has(key) || filed.get(key) !== undefined || forgotten?.has(key) === true;
    // The sources that contain left-out turns must still exist.
    for (const candidate of all) candidate.current &&= (candidate.before?.standsIn ?? []).every(exists);
    for (const candidate of all) if (!candidate.current) await this.#read(candidate);
    const open = [...this.#candidates.values()].filter(({ current }) => !current);
    const { originals, overdue } = await findOriginals(open, all, filed);
    for (const key of overdue) {
      const candidate = this.#candidates.get(key);
      if (candidate !== undefined) await this.#read(candidate);
    }
    const items = this.#judged(this.#chosen(), originals);
    // If no file at all is readable, that is not "nothing new".
    if (found.conversations.length === 0)
      for (const skip of this.#skipped) if (skip.reason === NO_TRANSCRIPT) skip.problem = true;
    const keys = [...this.#contained, ...items.map(({ conversation }) => conversation)];
    const earlier = keys.flatMap(({ sourceKey }) => this.#staged.get(sourceKey) ?? []);
    const touched = [...this.#contained, ...items, ...earlier];
    return {
      items,
      contained: this.#contained,
      skipped: this.#skipped,
      candidates: found.candidates,
      wings: new Set(touched.map(({ wing }) => wing)),
      manifests: this.#manifests,
    };
  }

  #enter(conversations: readonly Conversation[]): void {
    const { filed, wing: wanted, sanitiser, force } = this.options;
    const signatures = signaturesOf(conversations, sanitiser.version);
    for (const conversation of conversations) {
      const { sourceKey, sessionKey } = conversation;
      const mtimeMs = this.#dateOf(conversation);
      if (this.#isOutOfDate(conversation, mtimeMs)) {
        this.#skip(conversation, OLDER_COPY);
        continue;
      }
      const { formerKey = sourceKey } = conversation.identity;
      const source = filed.get(sourceKey) ?? filed.get(formerKey) ?? filed.get(sessionKey);
      const wing = wanted ?? source?.wing ?? DEFAULT_WING;
      const session = signatures.get(sessionKey) ?? '';
      const before = this.#staged.get(sourceKey)?.find((staged) => staged.wing === wing);
      const current = before?.made.session === session && !force && !this.#isForgotten(conversation);
      const facts = undefined;
      const { begun } = conversation.identity;
      const [first] = [begun, before?.made.begun].filter((at) => at !== undefined).sort();
      const covered = begun === first ? (before?.made.covered ?? 0) : 0;
      // If its file has lost its beginning, it still is the original of its copies.
      conversation.identity.begun = first;
      const made = { conversation, wing, session, mtimeMs, before, covered, current, facts };
      this.#candidates.set(sourceKey, made);
    }
  }

  /** The time of its last change, epoch milliseconds. Of a file from the future, the time when it was first filed or staged. */
  #dateOf({ sourceKey, files }: Conversation): number {
    const changedMs = Math.max(...files.map(changedOf));
    const latestMs = latestBelievable(changedMs);
    if (changedMs <= latestMs) return changedMs;
    const known = [this.options.filed.get(sourceKey), ...(this.#staged.get(sourceKey) ?? [])];
    return known.find((each) => each !== undefined && each.mtimeMs <= latestMs)?.mtimeMs ?? Date.now();
  }

  /** Whether a later state of it is filed, so that an older export does not replace it. */
  #isOutOfDate({ sourceKey, identity }: Conversation, mtimeMs: number): boolean {
    const filed = this.options.filed.get(sourceKey);
    if (filed === undefined || identity.changedMs === undefined) return false;
    // At equal times, the source from the program's own database is more complete.
    const fromElsewhere = !filed.versions.startsWith(MADE_HERE);
    return mtimeMs < filed.mtimeMs || (mtimeMs === filed.mtimeMs && fromElsewhere);
  }

  #isForgotten({ sourceKey, sessionKey, identity }: Conversation): boolean {
    const { forgotten } = this.options;
    return [sourceKey, sessionKey, identity.formerKey ?? sourceKey].some(
      (key) => forgotten?.has(key) === true,
    );
  }

  async #read(candidate: Candidate): Promise<void> {
    const { conversation } = candidate;
    this.options.signal?.throwIfAborted();
    candidate.current = false;
    try {
      candidate.facts = await factsOf(conversation);
    } catch (error) {
      this.#skipAsProblem(conversation, 'unreadable', messageOf(error));
      this.#candidates.delete(conversation.sourceKey);
    }
  }

  /** Returns the conversations of this run, and records the reason for skipping the others. */
  #chosen(): Candidate[] {
    const chosen: Candidate[] = [];
    for (const candidate of this.#candidates.values()) {
      const { conversation, facts } = candidate;
      const { noSession, malformed = 0, messages = 0 } = facts ?? {};
      const reason = noSession ?? this.#tooShort(conversation);
      // Forgotten conversations count as originals: their copied messages are forgotten too.
      if (reason === undefined || this.#isForgotten(conversation)) chosen.push(candidate);
      else if (noSession !== undefined || malformed === 0) this.#skip(conversation, reason);
      else {
        // It may have been longer.
        const rest = `${plural(messages, 'message')} left; the filed version stays`;
        const detail = `${plural(malformed, 'line')} could not be read, ${rest}`;
        this.#skipAsProblem(conversation, 'unreadable lines', detail);
      }
    }
    return chosen;
  }

  /** The reason to skip a short session. The minimum does not apply to sub-agents. */
  #tooShort({ sourceKey, sessionKey, identity }: Conversation, forks = 0): string | undefined {
    const { minMessages, filed } = this.options;
    if (filed.get(sourceKey) !== undefined || filed.get(sessionKey) !== undefined) return undefined;
    // A fork continues its original, even if its file does not repeat it.
    const { kind } = parseSourceKey(sessionKey);
    for (const id of forks < MOST_FORKS ? (identity.copiedFrom ?? []) : []) {
      const key = buildSourceKey({ kind, owner: id });
      const original = this.#candidates.get(key)?.conversation;
      const isTaken = original !== undefined && this.#tooShort(original, forks + 1) === undefined;
      if (isTaken || filed.get(key) !== undefined) return undefined;
    }
    const main = this.#candidates.get(sessionKey);
    const messages = main?.facts?.messages ?? main?.before?.made.messages;
    if (messages === undefined || messages >= minMessages) return undefined;
    return `fewer than ${plural(minMessages, 'message')}`;
  }

  #skipAsProblem({ files: [{ path: origin }] }: Conversation, reason: string, detail: string): void {
    this.#skipped.push({ origin, reason, detail, problem: true });
  }

  #skip({ files }: Conversation, reason: string): void {
    for (const { path: origin } of files) this.#skipped.push({ origin, reason });
  }

  /** Decides what each leaves out, oldest first: the older of two copies is the original. */
  #judged(chosen: readonly Candidate[], filed: ReadonlyMap<string, string>): WorkItem[] {
    const found = new Map<string, string>();
    const items: WorkItem[] = [];
    for (const candidate of inAgeOrder(chosen)) {
      const { conversation, wing, facts, before, covered } = candidate;
      const { sourceKey, identity } = conversation;
      // No longer available for a comparison: its file may be gone, or have lost them.
      const gone = (before?.standsIn ?? []).filter((key) => this.options.forgotten?.has(key) === true);
      const own = () => new Set(this.options.filed.messagesOf(sourceKey));
      const forgotten = gone.length > 0 ? { turns: covered, standsIn: gone, own: own() } : undefined;
      const originalOf = (name: string) => found.get(name) ?? filed.get(name);
      const copied = facts && judge(facts, originalOf, sourceKey, forgotten);
      for (const [number, turn] of facts?.turns.entries() ?? [])
        for (const name of copied?.leftOut.has(number) ? [] : namesOf(turn))
          if (!found.has(name)) found.set(name, sourceKey);
      if (this.#isForgotten(conversation)) this.#skip(conversation, FORGOTTEN);
      else if (copied?.contained === true) {
        this.#skip(conversation, COPY);
        const leftOut = facts?.turns.flatMap(({ message }) => message ?? []);
        if (this.options.filed.get(sourceKey) !== undefined)
          this.#contained.push({ wing, sourceKey, standsIn: copied.standsIn, leftOut });
      } else {
        items.push(this.#item(candidate, copied));
        const { formerKey = '' } = identity;
        const former = this.options.filed.get(formerKey);
        if (former !== undefined)
          this.#contained.push({ wing: former.wing, sourceKey: formerKey, standsIn: [sourceKey] });
      }
    }
    return items;
  }

  #item(candidate: Candidate, copied?: Copied): WorkItem {
    const { before, facts, ...rest } = candidate;
    const { identity, sourceKey } = candidate.conversation;
    const leftOut = copied?.leftOut ?? new Set();
    const own = facts?.turns.filter((_, number) => !leftOut.has(number));
    const keys = own?.flatMap(({ copy }) => copy?.key ?? []) ?? before?.copyKeys;
    return {
      ...rest,
      title: facts === undefined ? before?.title : titleOf(facts, leftOut),
      directory: facts?.cwd ?? identity.cwd ?? this.#staged.get(sourceKey)?.[0]?.directory,
      messages: facts?.messages ?? before?.made.messages ?? 0,
      leftOut,
      standsIn: copied?.standsIn ?? before?.standsIn ?? [],
      copyKeys: [...new Set(keys)],
      status: this.#status(candidate),
    };
  }

  #status({ conversation, mtimeMs, before, current }: Candidate): WorkItem['status'] {
    const filed = this.options.filed.get(conversation.sourceKey);
    if (filed === undefined) return 'new';
    const { force, sanitiser } = this.options;
    if (force || !filed.versions.startsWith(madeBy(conversation, sanitiser.version))) return 'changed';
    if (current) return filed.hash === before?.hash ? 'unchanged' : 'changed';
    return before === undefined && filed.mtimeMs === mtimeMs ? 'unchanged' : 'changed';
  }
}

/** The session's name, else the first question of the user that is not a copy. */
function titleOf({ title, questions }: ConversationFacts, leftOut: Copied['leftOut']): string | undefined {
  const name = title ?? (questions.find(({ turn }) => !leftOut.has(turn)) ?? questions[0])?.text;
  return name && shortTitle(name);
}

/** Hashes by session key of all inputs for the session's transcripts. */
function signaturesOf(conversations: readonly Conversation[], sanitiserVersion: number): Map<string, string> {
  const textOf = (conversation: Conversation) => {
    const files = conversation.files.map(({ path, mtimeMs, size, range }) => [path, mtimeMs, size, range]);
    return JSON.stringify([conversation.sourceKey, madeBy(conversation, sanitiserVersion), files]);
  };
  const sessions = groupBy(conversations, ({ sessionKey }) => sessionKey);
  return new Map([...sessions].map(([key, all]) => [key, sha256(all.map(textOf).sort().join('\n'))]));
}
