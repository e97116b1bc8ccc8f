import { COPY_KEY_PREFIX } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import type { Part } from '../../core/parts.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import type { Conversation } from './options.js';
import { oneLineOf, type Turn } from './turns.js';

/** Limit for a title that is made from the user's first words. */
const TITLE_CHARS = 80;
/** Number of questions kept as title candidates: the first questions of a fork belong to another session. */
const MOST_QUESTIONS = 200;

/** The keys by which a turn is recognised. */
export interface TurnKeys {
  id?: string | undefined;
  copy: Turn['copyKey'];
  /** Id of the original, if the harness names it. */
  copyOf?: string | undefined;
  at?: string | undefined;
}

/** The result of reading a conversation once, before it is staged. */
export interface ConversationFacts {
  /** Undefined if the session has no name. */
  title: string | undefined;
  /** Shortened questions of the user, each with its turn number. */
  questions: { turn: number; text: string }[];
  cwd: string | undefined;
  /** Messages of user and assistant, without synthetic ones and those that contain only tool results. */
  messages: number;
  /** One entry per turn, and per summary that has a copy key. */
  turns: TurnKeys[];
  /** Numbers of the turns that are not empty. */
  saying: Set<number>;
  /** Number of unreadable lines. */
  malformed: number;
  /** Why this is not a session; undefined for a session. */
  noSession: string | undefined;
}

/** @throws the file system's error */
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

/** Shorter ids are counters, which a program uses again in the next session. */
const UNIQUE_CHARS = 16;

function isUnique(id: string | undefined): boolean {
  return id !== undefined && id.length >= UNIQUE_CHARS;
}

/** The name under which the palace stores a copy key, next to message ids. */
export function keptCopyKey(key: string): string {
  return `${COPY_KEY_PREFIX}${key.length > 40 ? sha256(key).slice(0, 24) : key}`;
}

/** The user's words as a title. */
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
  // Copied, because a slice keeps the whole text in memory.
  return `${Buffer.from(words).toString('utf8')}…`;
}

/** Counts messages; a transcript may contain several records per message. */
class MessageCounter {
  count = 0;
  #assistant = false;
  readonly #seen = new Set<string>();

  meet(turn: Turn): void {
    if (turn.synthetic === true) return;
    const { message, role, parts } = turn;
    if (role === 'user') {
      // Results separate two messages of the assistant.
      if (parts.length > 0) this.#assistant = false;
      if (parts.some(isWords)) this.count += 1;
      return;
    }
    if (!parts.some((part) => part.kind !== 'result')) return;
    const continues = message === undefined ? this.#assistant : this.#seen.has(message);
    if (message !== undefined) this.#seen.add(message);
    this.#assistant = true;
    if (!continues) this.count += 1;
  }
}

function isWords(part: Part): boolean {
  return part.kind === 'text' && withoutInjected(part.text).trim() !== '';
}

function says({ parts }: Turn): boolean {
  return parts.some((part) => part.kind !== 'text' || part.text.trim() !== '');
}
