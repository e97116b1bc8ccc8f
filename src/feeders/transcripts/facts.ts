import { COPY_KEY_PREFIX } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import type { Part } from '../../core/parts.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { Conversation } from './options.js';
import { oneLineOf, type Turn } from './turns.js';

/** The most characters of a title that is made of somebody's first words. */
const TITLE_CHARS = 80;
/** Questions that are kept for a title: those at the beginning of a fork are another session's. */
const MOST_QUESTIONS = 200;

/** What a turn is recognised by. */
export interface TurnKeys {
  id?: string | undefined;
  copy: Turn['copyKey'];
  /** The id of its original, where that is named. */
  copyOf?: string | undefined;
  at?: string | undefined;
}

/** What reading a conversation once says of it. */
export interface ConversationFacts {
  /** What the session is called; undefined when nobody named it. */
  title: string | undefined;
  /** The beginnings of what a person said first, each with the number of its turn. */
  questions: { turn: number; text: string }[];
  cwd: string | undefined;
  /** User's and assistant's messages that are neither synthetic nor results of tools alone. */
  messages: number;
  /** Of every turn, and every summary that has a key, in order. */
  turns: TurnKeys[];
  /** Turns that say something, by number. */
  saying: Set<number>;
  /** Lines that cannot be read. */
  malformed: number;
  /** Why it is no session; undefined when it is one. */
  noSession: string | undefined;
}

/** Reads a conversation for what is to be known before it is staged. @throws the file system's error */
export async function factsOf(conversation: Conversation): Promise<ConversationFacts> {
  const { harness } = conversation;
  const facts: ConversationFacts = {
    title: undefined,
    questions: [],
    cwd: undefined,
    messages: 0,
    turns: [],
    saying: new Set(),
    malformed: 0,
    noSession: undefined,
  };
  let rank = 0;
  const counter = new MessageCounter();
  for await (const entry of harness.read(conversation)) {
    if (entry.kind === 'fact') {
      const title = oneLineOf(entry.title?.text);
      if (entry.title !== undefined && title !== undefined && entry.title.rank >= rank) {
        rank = entry.title.rank;
        facts.title = title;
      }
      facts.cwd ??= entry.cwd;
      facts.noSession ??= entry.noSession;
    } else if (entry.kind === 'malformed') {
      facts.malformed += 1;
    } else if (entry.kind === 'turn' || entry.copyKey !== undefined) {
      const number = facts.turns.length;
      const { copyKey: copy } = entry;
      if (entry.kind === 'summary') {
        facts.saying.add(number);
        facts.turns.push({ copy });
        continue;
      }
      const { id, copyOf, at } = entry;
      if (says(entry)) facts.saying.add(number);
      facts.turns.push({ id: harness.idsAreUnique && isUnique(id) ? id : undefined, copy, copyOf, at });
      counter.meet(entry);
      const text = facts.questions.length < MOST_QUESTIONS ? questionOf(entry) : undefined;
      if (text !== undefined) facts.questions.push({ turn: number, text });
    }
  }
  facts.messages = counter.count;
  return facts;
}

/** Shorter ids are numbers that some program counts, and are given again in the next session. */
const UNIQUE_CHARS = 16;

function isUnique(id: string | undefined): boolean {
  return id !== undefined && id.length >= UNIQUE_CHARS;
}

/** The name under which a source keeps a copy key, beside the ids of its messages. */
export function keptCopyKey(key: string): string {
  return `${COPY_KEY_PREFIX}${key.length > 40 ? sha256(key).slice(0, 24) : key}`;
}

/** What a person said, as a title. */
function questionOf({ role, spoken, synthetic, parts }: Turn): string | undefined {
  if (role !== 'user' || !spoken || synthetic === true) return undefined;
  const said = parts.flatMap((part) =>
    part.kind === 'text' ? [withoutInjected(withoutQuotes(part.text).text)] : [],
  );
  const text = oneLineOf(said.filter((each) => !isEchoLine(each.trim())).join(' '));
  return text === undefined ? undefined : shortened(text);
}

function shortened(title: string): string {
  if (title.length <= TITLE_CHARS) return title;
  const cut = title.slice(0, TITLE_CHARS);
  const space = cut.lastIndexOf(' ');
  const words = (space > TITLE_CHARS / 2 ? cut.slice(0, space) : cut)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trimEnd();
  // A text of its own: else it would keep all of what was said in memory.
  return `${Buffer.from(words).toString('utf8')}…`;
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
      // Results come between two messages of the assistant.
      if (parts.length > 0) this.#assistant = false;
      if (parts.some(isWords)) this.count += 1;
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
