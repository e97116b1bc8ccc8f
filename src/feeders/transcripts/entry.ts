/** What a harness's reader makes of a transcript, entry by entry, before anything is cleaned. */

/** What a turn holds, in order. */
export type Part =
  | { kind: 'text'; text: string }
  | { kind: 'call'; id: string | undefined; name: string; input: unknown }
  | { kind: 'result'; id: string | undefined; text: string; error: boolean };

/** What a copy of a message has in common with its original, where a harness gives copies new ids. */
interface CopyKey {
  /** The same for every copy, and for nothing else of this harness. */
  key: string;
  /**
   * Made of the words alone: other messages may have the same. It counts at the beginning of a transcript only,
   * before or beside messages that are known to be copies.
   */
  weak: boolean;
}

/** One record that says or does something. A message may come as several. */
export interface Turn {
  kind: 'turn';
  role: 'user' | 'assistant';
  parts: Part[];
  /** Kept with the source. */
  id: string | undefined;
  /** As written; ISO 8601. */
  at: string | undefined;
  /** A person's words, or an agent's task: it starts an exchange. */
  spoken: boolean;
  /** Types of blocks that were left out. */
  ignored: string[];
  /** Name that the records of one message share. Without one, an assistant's records in a row are one message. */
  message?: string | undefined;
  /** Written by a program in somebody's name: it does not count as a message. */
  synthetic?: boolean | undefined;
  /** How copies are told, beside `id`. */
  copyKey?: CopyKey | undefined;
  /** The id of the message that this one is a copy of, where the harness gives it another and names its original. */
  copyOf?: string | undefined;
}

/** What is known of the conversation as a whole. The title of the highest rank counts, of equal ranks the last. */
interface Fact {
  kind: 'fact';
  title?: { text: string; rank: number } | undefined;
  cwd?: string | undefined;
  /** It is none: the reason for which it is skipped. */
  noSession?: string | undefined;
}

/** What a program wrote of what was said before. With a key it is numbered among the turns, and told as a copy. */
interface Summary {
  kind: 'summary';
  text: string;
  copyKey?: CopyKey | undefined;
}

export type Entry =
  | Turn
  | Fact
  | Summary
  | { kind: 'ignored'; type: string }
  /** `line` is 1-based; 0 for the file as a whole. */
  | { kind: 'malformed'; line: number; reason: string };
