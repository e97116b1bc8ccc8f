import { COPY_KEY_PREFIX } from '../../common/contract.js';
import { sha256 } from '../../common/hash.js';
import { withoutInjected } from '../../sanitiser/index.js';
import type { Entry, Part, Turn } from './entry.js';
import type { Harness } from './harness.js';
import type { Conversation } from './options.js';
import { oneLineOf } from './records.js';

/** The most characters of a title that is made of somebody's first words. */
const TITLE_CHARS = 80;

/** What a turn is recognised by. */
export interface TurnKeys {
  id: string | undefined;
  copy: { key: string; weak: boolean } | undefined;
  at: string | undefined;
}

/** What reading a conversation once says of it. */
export interface ConversationFacts {
  title: string | undefined;
  cwd: string | undefined;
  /** User's and assistant's messages that are neither synthetic nor results of tools alone. */
  messages: number;
  /** Of every turn, in order. */
  turns: TurnKeys[];
  /** Turns that say something, by number. */
  saying: Set<number>;
  /** Why it is no session; undefined when it is one. */
  noSession: string | undefined;
}

/** Reads a conversation for what is to be known before it is staged. @throws the file system's error */
export async function factsOf(conversation: Conversation): Promise<ConversationFacts> {
  const facts: ConversationFacts = {
    title: undefined,
    cwd: undefined,
    messages: 0,
    turns: [],
    saying: new Set(),
    noSession: undefined,
  };
  const titles = new Titles();
  const counter = new MessageCounter();
  for await (const entry of conversation.harness.read(conversation)) {
    if (entry.kind === 'fact') {
      if (entry.title !== undefined) titles.offer(entry.title);
      facts.cwd ??= entry.cwd;
      facts.noSession ??= entry.noSession;
    } else if (entry.kind === 'turn') {
      if (says(entry)) facts.saying.add(facts.turns.length);
      facts.turns.push(keysOf(entry, conversation.harness));
      counter.meet(entry);
      titles.meet(entry);
    }
  }
  facts.title = titles.best;
  facts.messages = counter.count;
  return facts;
}

function keysOf({ id, copyKey, at }: Turn, { idsAreUnique }: Harness): TurnKeys {
  return { id: idsAreUnique ? id : undefined, copy: copyKey, at };
}

/** The name under which a source keeps a copy key, beside the ids of its messages. */
export function keptCopyKey(key: string): string {
  return `${COPY_KEY_PREFIX}${key.length > 40 ? sha256(key).slice(0, 24) : key}`;
}

class Titles {
  best: string | undefined;
  #rank = 0;

  offer({ text, rank }: NonNullable<Extract<Entry, { kind: 'fact' }>['title']>): void {
    const title = oneLineOf(text);
    if (title === undefined || rank < this.#rank) return;
    this.#rank = rank;
    this.best = title;
  }

  /** Without a title, the first words of a person are one. */
  meet(turn: Turn): void {
    if (this.best !== undefined || turn.role !== 'user' || !turn.spoken || turn.synthetic === true) return;
    const said = turn.parts.flatMap((part) => (part.kind === 'text' ? [withoutInjected(part.text)] : []));
    const title = oneLineOf(said.join(' '));
    if (title !== undefined) this.best = shortened(title);
  }
}

function shortened(title: string): string {
  if (title.length <= TITLE_CHARS) return title;
  const cut = title.slice(0, TITLE_CHARS);
  const space = cut.lastIndexOf(' ');
  return `${(space > TITLE_CHARS / 2 ? cut.slice(0, space) : cut).replace(/\p{Surrogate}$/u, '').trimEnd()}…`;
}

/** Counts messages, of which a transcript may have several records. */
class MessageCounter {
  count = 0;
  #assistant = false;
  readonly #seen = new Set<string>();

  meet(turn: Turn): void {
    if (turn.synthetic === true) return;
    const { message, role, parts } = turn;
    if (role === 'user') {
      if (!parts.some(isWords)) {
        // Results stand between two messages of the assistant.
        if (parts.length > 0) this.#assistant = false;
        return;
      }
      this.#assistant = false;
      this.count += 1;
      return;
    }
    if (!parts.some((part) => part.kind !== 'result')) return;
    const goesOn = message === undefined ? this.#assistant : this.#seen.has(message);
    if (message !== undefined) this.#seen.add(message);
    this.#assistant = true;
    if (!goesOn) this.count += 1;
  }
}

function isWords(part: Part): boolean {
  return part.kind === 'text' && withoutInjected(part.text).trim() !== '';
}

function says({ parts }: Turn): boolean {
  return parts.some((part) => part.kind !== 'text' || part.text.trim() !== '');
}
