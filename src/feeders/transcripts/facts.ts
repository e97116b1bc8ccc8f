import { COPY_KEY_PREFIX } from '../../core/contract.js';
import { sha256 } from '../../core/hash.js';
import { isEchoLine, withoutInjected, withoutQuotes } from '../../sanitiser/index.js';
import { readConversation } from './joined.js';
import type { Conversation } from './options.js';
import { oneLineOf, type Turn } from './turns.js';

/** Limit for a title that is made from the user's first words. */
const TITLE_CHARS = 80;
/** Number of questions kept as title candidates: the first questions of a fork belong to another session. */
const MOST_QUESTIONS = 200;
/** Shorter ids are counters, which a program uses again in the next session. */
const UNIQUE_CHARS = 16;

/** A turn, or a summary that has a copy key: the names by which it is recognised, and whether it says anything. */
export interface TurnKeys {
  /** Id of its message, also where it is not unique. */
  message?: string | undefined;
  id?: string | undefined;
  /** As the palace stores it. */
  copy: Turn['copyKey'];
  /** Id of the original, if the harness names it. */
  copyOf?: string | undefined;
  at?: string | undefined;
  says: boolean;
}

export class ConversationFacts {
  /** Undefined if the session has no name. */
  title: string | undefined;
  /** Shortened questions of the user, each with its turn number. */
  readonly questions: { turn: number; text: string }[] = [];
  cwd: string | undefined;
  /** Messages of user and assistant, without synthetic ones and those that contain only tool results. */
  messages = 0;
  readonly turns: TurnKeys[] = [];
  malformed = 0;
  /** Why this is not a session; undefined for a session. */
  noSession: string | undefined;
}

/** @throws the file system's error */
export async function factsOf(conversation: Conversation): Promise<ConversationFacts> {
  const { harness } = conversation;
  const facts = new ConversationFacts();
  let rank = 0;
  const isNewMessage = messageCounter();
  for await (const entry of readConversation(conversation)) {
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
    } else if (entry.kind === 'turn') {
      const { id = '', copyOf, at, parts } = entry;
      const text = facts.questions.length < MOST_QUESTIONS ? questionOf(entry) : undefined;
      if (text !== undefined) facts.questions.push({ turn: facts.turns.length, text });
      facts.turns.push({
        message: entry.id,
        id: harness.idsAreUnique === true && id.length >= UNIQUE_CHARS ? id : undefined,
        copy: keptCopyKey(entry),
        copyOf,
        at,
        says: parts.some((part) => part.kind !== 'text' || part.text.trim() !== ''),
      });
      if (isNewMessage(entry)) facts.messages += 1;
    } else if (entry.copyKey !== undefined) facts.turns.push({ copy: keptCopyKey(entry), says: true });
  }
  return facts;
}

/** The copy key in the form in which the palace stores it, next to message ids. */
export function keptCopyKey({ copyKey }: Pick<Turn, 'copyKey'>): Turn['copyKey'] {
  if (copyKey === undefined) return undefined;
  const { key, weak } = copyKey;
  return { key: `${COPY_KEY_PREFIX}${key.length > 40 ? sha256(key).slice(0, 24) : key}`, weak };
}

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

/** Tests whether a turn begins a message: a transcript may contain several records per message. */
function messageCounter(): (turn: Turn) => boolean {
  let inAnswer = false;
  const seen = new Set<string>();
  return ({ synthetic, message, role, parts }) => {
    if (synthetic === true) return false;
    if (role === 'user') {
      // Results separate two messages of the assistant.
      if (parts.length > 0) inAnswer = false;
      return parts.some((part) => part.kind === 'text' && withoutInjected(part.text).trim() !== '');
    }
    if (parts.every((part) => part.kind === 'result')) return false;
    const continues = message === undefined ? inAnswer : seen.has(message);
    if (message !== undefined) seen.add(message);
    inAnswer = true;
    return !continues;
  };
}
