import { sha256 } from '../../../../core/hash.js';
import { type Part, textPart } from '../../../../core/parts.js';
import type { Step } from '../../rewinds.js';
import { turn } from '../../turns.js';
import type { Message } from './message.js';

/** Text that the program adds to the user's words, or that replaces them. */
const INJECTED = /^\s*<(session_context|hook_context)>[\s\S]*?<\/\1>\s*/;
const SNAPSHOT = /^\s*(?:<scratchpad>[\s\S]*?<\/scratchpad>\s*)?<state_snapshot>/;

/**
 * Finds the new parts of a message. Records repeat messages with the same ids; lists that replace all messages may
 * repeat them with new ids.
 */
export class Unsaid {
  readonly #ids = new Set<string>();
  /** `textKey` of each text. */
  readonly #texts = new Set<string>();
  /** Occurrences of a text, by `timesKey`. */
  readonly #times = new Map<string, number>();
  /** Message id by call id. */
  readonly #calls = new Map<string, string | undefined>();
  readonly #results = new Map<string, string>();

  /** For a record: a part is new unless an earlier version of the same message contained it. */
  *entries(message: Message): Generator<Step> {
    const { id } = message;
    yield* this.#entries(message, (part) => {
      if (part.kind === 'text') return id === undefined || !this.#texts.has(textKey(id, part.text));
      if (part.id === undefined) return true;
      // Providers may use a call id twice: in another message of the model, it is another call.
      const again = message.type === 'gemini';
      if (part.kind === 'call')
        return !this.#calls.has(part.id) || (again && this.#calls.get(part.id) !== id);
      const known = this.#results.get(part.id);
      return known === undefined || (again && known !== sha256(part.text));
    });
  }

  /** For the messages of a list: a text is new if the list contains it more often than it occurred before. */
  list(): (message: Message) => Generator<Step> {
    const times = new Map<string, number>();
    let summarised = false;
    const isNew = (message: Message) => (part: Part) => {
      if (part.kind === 'text') {
        const key = timesKey(message, part.text);
        times.set(key, (times.get(key) ?? 0) + 1);
        return (times.get(key) ?? 0) > (this.#times.get(key) ?? 0);
      }
      if (part.id !== undefined)
        return part.kind === 'call' ? !this.#calls.has(part.id) : !this.#results.has(part.id);
      return message.id === undefined || !this.#ids.has(message.id);
    };
    const entries = this.#entries.bind(this);
    const known = (id: string | undefined) => id !== undefined && this.#ids.has(id);
    return function* (message) {
      // The program writes the answer to a summary.
      const answer = summarised && message.type === 'gemini' && !known(message.id);
      summarised = message.type === 'user' && message.said.some(isSnapshot);
      if (!answer) yield* entries(message, isNew(message));
    };
  }

  *#entries(message: Message, isNew: (part: Part) => boolean): Generator<Step> {
    const { id, at, type } = message;
    if (id !== undefined && !this.#ids.has(id)) yield { kind: 'place', name: id };
    if (id !== undefined) this.#ids.add(id);
    const parts: Part[] = [];
    for (const part of type === 'user' ? message.said.flatMap(withoutInjected) : message.said) {
      if (!isNew(part)) continue;
      this.#remember(message, part);
      if (type === 'user' && isSnapshot(part)) yield { kind: 'summary', text: part.text };
      else if (type === 'error' && part.kind === 'text') parts.push(textPart(`[error] ${part.text}`));
      else parts.push(part);
    }
    const role = type === 'user' ? 'user' : 'assistant';
    if (parts.length > 0)
      yield turn(role, parts, { id, at, spoken: type === 'user', synthetic: type === 'error' });
    const results = message.results.filter(isNew);
    for (const part of results) this.#remember(message, part);
    if (results.length > 0) yield turn('user', results, { id: id && `${id}/results`, at });
  }

  #remember(message: Message, part: Part): void {
    if (part.kind === 'text') {
      if (message.id !== undefined) this.#texts.add(textKey(message.id, part.text));
      const key = timesKey(message, part.text);
      this.#times.set(key, (this.#times.get(key) ?? 0) + 1);
    } else if (part.id !== undefined) {
      if (part.kind === 'result') this.#results.set(part.id, sha256(part.text));
      else this.#calls.set(part.id, message.id);
    }
  }
}

function textKey(id: string, text: string): string {
  return `${id}\n${sha256(text).slice(0, 16)}`;
}

function timesKey({ type }: Message, text: string): string {
  return `${type}\n${sha256(text.trim()).slice(0, 16)}`;
}

function isSnapshot(part: Part): part is Extract<Part, { kind: 'text' }> {
  return part.kind === 'text' && SNAPSHOT.test(part.text);
}

function withoutInjected(part: Part): Part[] {
  if (part.kind !== 'text') return [part];
  let { text } = part;
  while (INJECTED.test(text)) text = text.replace(INJECTED, '');
  return text.trim() === '' ? [] : [{ ...part, text }];
}
