import { Activity, type ActivityTurn } from '../activity/index.js';
import { plainPath } from '../core/file-path.js';
import { COMPACTION_SUMMARY, type Part } from '../core/parts.js';
import type { ChangedFile, Checkpoint, CheckpointType, Compaction, OpenError } from './record.js';

const ASKS = 5;
const MOST_ERRORS = 10;

/** Words of the feeders in the assistant's name. */
const NO_ANSWER = /^\[(?:reasoning\] |interrupted\]|error[\]:])/;

export type CheckpointEvent =
  | (ActivityTurn & {
      kind: 'turn';
      at?: string | undefined;
      /** The turn is the summary of a compaction. */
      compaction?: Compaction | undefined;
    })
  | { kind: 'summary'; text: string; compaction?: Compaction | undefined }
  | { kind: 'fact'; branch?: string | undefined; compaction?: Compaction | undefined };

/** Derives the checkpoints of a session from its transcript, by what the records say and never by words. */
export class CheckpointRecorder {
  readonly #activity = new Activity();
  readonly #closed: Checkpoint[] = [];
  /** Per checkpoint, the line of the filed text that follows it. */
  readonly #lines: number[] = [];
  /** What is known of the last compaction. */
  #last: Compaction & { summary?: string } = {};
  #branch: string | undefined;
  #at: string | undefined;
  /** The first turn after the last compaction, and after the one before it. */
  #from = 0;
  #fromBefore = 0;
  /** The last words were an answer, and no call waits for its result. */
  #answered = true;

  /** @param keepsClosed whether there is a checkpoint per compaction; without them, a long transcript is read faster */
  constructor(private readonly keepsClosed = true) {}

  /** One per compaction. */
  get closed(): readonly Checkpoint[] {
    return this.#closed.map((checkpoint, index) => ({ ...checkpoint, line: this.#lines[index] }));
  }

  /** Whether the transcript ends with a request or a call that was not answered. */
  get brokeOff(): boolean {
    return !this.#answered;
  }

  /** What follows the last compaction. */
  get open(): Checkpoint {
    const line = this.#lines[this.#closed.length];
    return { ...this.#checkpoint(this.brokeOff ? 'crash' : 'auto'), line };
  }

  /** Where the session stands: what follows the last compaction, and what precedes it up to the one before. */
  latest(isCompacted: boolean): Checkpoint {
    const { summary, tokensBefore, tokensAfter } = this.#last;
    const type = isCompacted ? 'compaction' : this.open.type;
    const checkpoint = this.#checkpoint(type, this.#fromBefore);
    return { ...checkpoint, number: undefined, summary, tokensBefore, tokensAfter };
  }

  /** Records the line that follows a compaction. Called once per compaction, in order, and once for the end of the text. */
  place(line: number): void {
    this.#lines.push(line);
  }

  add(event: CheckpointEvent): void {
    if (event.kind === 'fact') {
      this.#branch = event.branch ?? this.#branch;
      if (event.compaction !== undefined) this.#close(event.compaction, '');
    } else if (event.kind === 'summary') {
      if (event.compaction !== undefined) this.#close(event.compaction, event.text);
    } else if (event.compaction !== undefined) {
      this.#close(event.compaction, wordsOf(event.parts));
    } else {
      this.#at = event.at ?? this.#at;
      this.#activity.add(event);
      this.#follow(event);
    }
  }

  #close(compaction: Compaction, text: string): void {
    const summary = text.replace(COMPACTION_SUMMARY, '').trim();
    this.#last = { ...compaction, ...(summary === '' ? {} : { summary }) };
    if (this.keepsClosed) this.#closed.push({ ...this.#checkpoint('compaction'), ...this.#last });
    // A compaction that directly follows another one ends nothing new.
    if (this.#activity.turns > this.#from) this.#fromBefore = this.#from;
    this.#from = this.#activity.turns;
  }

  #follow({ role, parts, spoken }: Extract<CheckpointEvent, { kind: 'turn' }>): void {
    for (const part of parts) {
      if (part.kind === 'text' && part.text.trim() === '') continue;
      if (part.kind !== 'text') this.#answered = false;
      else if (role === 'assistant') this.#answered = !NO_ANSWER.test(part.text);
      else if (spoken) this.#answered = false;
    }
  }

  #checkpoint(type: CheckpointType, from = this.#from): Checkpoint {
    const { asks, todos } = this.#activity;
    return {
      type,
      number: this.#closed.length + 1,
      at: this.#at,
      branch: this.#branch,
      asks: asks.slice(-ASKS).map(({ text }) => text.trim()),
      todos: todos.flatMap(({ text, status }) =>
        status === 'completed' || status === 'cancelled' ? [] : text.trim(),
      ),
      files: this.#files(from),
      errors: this.#errors(from),
    };
  }

  #files(since: number): ChangedFile[] {
    const files = new Map<string, ChangedFile>();
    for (const { path: given, from, action, turn } of this.#activity.touched) {
      if (turn < since || action === 'read') continue;
      const path = plainPath(given);
      const before = files.get(path);
      files.delete(path);
      if (from !== undefined) files.delete(plainPath(from));
      // A file that was written and then edited is still a new one.
      files.set(path, { path, action: action === 'edited' ? (before?.action ?? action) : action });
    }
    return [...files.values()];
  }

  #errors(since: number): OpenError[] {
    const errors = new Map<string, OpenError>();
    for (const { tool, message, command, file, fix, turn } of this.#activity.failures) {
      const subject = command ?? file;
      if (turn < since || subject === undefined || fix !== undefined) continue;
      const key = `${tool}\0${subject}`;
      errors.delete(key);
      errors.set(key, { tool, subject, message: message.trim() });
    }
    return [...errors.values()].slice(-MOST_ERRORS);
  }
}

function wordsOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');
}
