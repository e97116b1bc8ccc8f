import type { Part } from '../core/parts.js';
import { SESSION_HEADER } from '../core/session-header.js';
import { type CallMeaning, meaningOf } from './calls.js';
import { maskedMessage, signatureOf, wasStopped } from './messages.js';
import { TodoList } from './todos.js';
import type { ActivityTurn, Ask, Failure, Todo, TouchedFile } from './types.js';

/** How many of the user's last texts are kept. */
const ASKS = 10;
const MOST_OF_A_MESSAGE = 4_000;

interface Call {
  meaning: CallMeaning;
  touched: TouchedFile[];
  turn: number;
  number: number;
  failed: boolean;
}

type Result = Extract<Part, { kind: 'result' }>;

/**
 * Collects from the turns of a transcript, in order, what the session did, by the names and inputs of its tool calls;
 * nothing is guessed from words. Results belong to the latest call with their id.
 */
export class Activity {
  readonly #calls: Call[] = [];
  readonly #awaiting = new Map<string, Call>();
  readonly #failures: Failure[] = [];
  /** Failures without a later success, by the command or file that they concern. */
  readonly #open = new Map<string, Failure[]>();
  readonly #todos = new TodoList();
  readonly #asks: Ask[] = [];
  #turns = 0;
  #called = 0;

  get turns(): number {
    return this.#turns;
  }

  get calls(): number {
    return this.#called;
  }

  /** In order of the calls; without those of calls that failed. */
  get touched(): TouchedFile[] {
    return this.#calls.flatMap(({ failed, touched }) => (failed ? [] : touched));
  }

  get failures(): readonly Failure[] {
    return this.#failures;
  }

  /** The harness's own list of items, as its last successful call left it. */
  get todos(): Todo[] {
    return this.#todos.todos;
  }

  /** The last texts of the user, oldest first; at most 10. */
  get asks(): readonly Ask[] {
    return this.#asks;
  }

  add(turn: ActivityTurn): void {
    // Results first, as they answer earlier calls.
    for (const part of turn.parts) if (part.kind === 'result') this.result(part);
    for (const part of turn.parts) if (part.kind === 'call') this.call(part, turn.subagent);
    if (turn.role === 'user' && turn.spoken) this.#ask(turn.parts);
    this.#turns += 1;
  }

  #ask(parts: readonly Part[]): void {
    const texts = parts.flatMap((part) => (part.kind === 'text' ? part.text : []));
    const text = texts.join('\n');
    if (text.trim() === '' || (this.#turns === 0 && SESSION_HEADER.test(text))) return;
    this.#asks.push({ text, turn: this.#turns });
    if (this.#asks.length > ASKS) this.#asks.shift();
  }

  call({ id, name, input }: Omit<Extract<Part, { kind: 'call' }>, 'kind'>, ofSubagent = false): void {
    const [turn, number] = [this.#turns, this.#called];
    this.#called += 1;
    const meaning = meaningOf(name, input);
    if (ofSubagent) meaning.todos = undefined;
    const touched = meaning.touches.map((touch) => Object.assign(touch, { turn, call: number }));
    const call = { meaning, touched, turn, number, failed: false };
    if (touched.length > 0) this.#calls.push(call);
    if (id !== undefined) this.#awaiting.set(id, call);
    else if (meaning.todos !== undefined) this.#todos.apply(meaning.todos, '');
  }

  result({ id, text, error }: Omit<Result, 'kind'>): void {
    const call = id === undefined ? undefined : this.#awaiting.get(id);
    if (id === undefined || call === undefined) return;
    this.#awaiting.delete(id);
    call.failed = error;
    if (error) {
      if (!wasStopped(text)) this.#fail(call, text);
      return;
    }
    if (call.meaning.todos !== undefined) this.#todos.apply(call.meaning.todos, text);
    if (this.#open.size > 0) this.#succeed(call);
  }

  #fail({ meaning, turn, number: call }: Call, text: string): void {
    const { tool, command, touches } = meaning;
    let masked: string | undefined;
    const failure: Failure = {
      tool,
      message: text.slice(0, MOST_OF_A_MESSAGE),
      // Not every reader needs it, and the masks take longer than everything else.
      get masked() {
        masked ??= maskedMessage(text);
        return masked;
      },
      get signature() {
        return signatureOf(tool, this.masked);
      },
      command,
      file: command === undefined ? touches[0]?.path : undefined,
      turn,
      call,
      fix: undefined,
    };
    this.#failures.push(failure);
    const subject = subjectOf(meaning);
    if (subject === undefined) return;
    const open = this.#open.get(subject);
    if (open === undefined) this.#open.set(subject, [failure]);
    else open.push(failure);
  }

  #succeed({ meaning, turn, number: call }: Call): void {
    const subject = subjectOf(meaning) ?? '';
    const open = this.#open.get(subject);
    if (open === undefined) return;
    // Of calls that ran together, an earlier one says nothing about a later one.
    const later = open.filter((failure) => failure.call > call);
    // Few fixes are asked for their edits, and those of a failure that was repeated often are almost the same.
    const changesSince = (failed: number) => this.#changesBetween(failed, call);
    for (const failure of open) {
      if (failure.call > call) continue;
      failure.fix = {
        turn,
        call,
        get edits() {
          return changesSince(failure.call);
        },
      };
    }
    this.#open.set(subject, later);
  }

  #changesBetween(after: number, before: number): TouchedFile[] {
    const between = this.#calls.filter(({ number, failed }) => number > after && number < before && !failed);
    return between.flatMap(({ touched }) => touched.filter(({ action }) => action !== 'read'));
  }
}

/** What must succeed for a failure to be fixed: the same command, or reading or changing the same file. */
function subjectOf({ command, touches }: CallMeaning): string | undefined {
  if (command !== undefined) return `command ${command.replace(/\s+/g, ' ')}`;
  const [touch] = touches;
  return touch === undefined ? undefined : `${touch.action === 'read' ? 'read' : 'change'} ${touch.path}`;
}
