import { posix } from 'node:path';
import { isAbsolutePath, plainPath } from '../core/file-path.js';
import { resultHead, type TurnMark } from '../core/turns.js';
import { Activity } from './activity.js';
import { renderedCall } from './rendered.js';
import type { FileAction, Fix, TouchedFile } from './types.js';

/** Raise it whenever the same text gives other files or failures: they are then derived again. */
export const ACTIVITY_VERSION = 1;

const MOST_OF_A_MESSAGE = 400;
const MOST_EDITS = 20;
const FAILED = resultHead(true);

/** Paths are absolute where the session's folder is known. `at` is the offset of the call in the session's text. */
interface DerivedTouch {
  path: string;
  action: FileAction;
  former: string | undefined;
  at: number;
}

/** The first failure of a session with its signature, or the first with a fix. */
interface DerivedFailure {
  tool: string;
  signature: string;
  message: string;
  command: string | undefined;
  file: string | undefined;
  at: number;
  fix: { at: number; edits: string[] } | undefined;
}

export interface DerivedActivity {
  version: number;
  touched: DerivedTouch[];
  failures: DerivedFailure[];
}

/** What a session did, from the text that is filed of it: its calls, each followed by its result. */
export class TextActivity {
  readonly #activity = new Activity();
  readonly #starts: number[] = [];
  /** Sessions name the same files again and again. */
  readonly #paths = new Map<string, string>();
  readonly #folder: string | undefined;
  #isCalling = false;

  constructor(folder: string | undefined) {
    this.#folder = folder === undefined ? undefined : plainPath(folder);
  }

  /** A part of the text, in order. @param text from its mark to the next one; of a result without an error, its head is enough */
  add({ role, start }: TurnMark, text: string): void {
    if (role === 'call') {
      const id = String(this.#starts.push(start));
      const { name, input } = renderedCall(text.trimEnd());
      this.#activity.call({ id, name, input });
    } else if (role === 'result' && this.#isCalling) {
      const error = text.startsWith(FAILED);
      const body = error ? text.slice(FAILED.length).trimEnd() : '';
      this.#activity.result({ id: String(this.#starts.length), text: body, error });
    }
    this.#isCalling = role === 'call';
  }

  finish(): DerivedActivity {
    const { touched, failures } = this.#activity;
    const found = new Map<string, DerivedFailure>();
    for (const { signature, tool, masked, command, file, call, fix } of failures) {
      if (signature === undefined || (found.has(signature) && fix === undefined)) continue;
      if (found.get(signature)?.fix !== undefined) continue;
      found.set(signature, {
        ...{ tool, signature, command, at: this.#at(call) },
        message: masked.slice(0, MOST_OF_A_MESSAGE),
        file: file === undefined ? undefined : this.#resolved(file),
        fix: fix && this.#fixOf(fix),
      });
    }
    return {
      version: ACTIVITY_VERSION,
      touched: touched.map((touch) => this.#touch(touch)),
      failures: [...found.values()],
    };
  }

  #fixOf({ call, edits }: Fix) {
    const paths = [...new Set(edits.map(({ path }) => this.#resolved(path)))];
    return { at: this.#at(call), edits: paths.slice(0, MOST_EDITS) };
  }

  #touch({ path, action, from, call }: TouchedFile): DerivedTouch {
    return {
      path: this.#resolved(path),
      action,
      former: from === undefined ? undefined : this.#resolved(from),
      at: this.#at(call),
    };
  }

  #at(call: number): number {
    return this.#starts[call] ?? 0;
  }

  #resolved(said: string): string {
    const known = this.#paths.get(said);
    if (known !== undefined) return known;
    const path = plainPath(said);
    const isWhole = isAbsolutePath(path) || this.#folder === undefined;
    const resolved = isWhole ? path : posix.join(this.#folder, path);
    this.#paths.set(said, resolved);
    return resolved;
  }
}

export function activityOfText(text: string, turns: readonly TurnMark[], folder: string | undefined) {
  const activity = new TextActivity(folder);
  turns.forEach((turn, index) => {
    activity.add(turn, text.slice(turn.start, turns[index + 1]?.start));
  });
  return activity.finish();
}
