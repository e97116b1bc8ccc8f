import type { Io } from '../terminal/io.js';

/** One run of a program. */
export interface Call {
  /** Program and command, as in the log. */
  name: string;
  argv: readonly string[];
  io: Io;
  /** Set by the command. */
  exitCode: number;
}

/** The call whose arguments are parsed, since commander passes only flags. Actions read it before their first await. */
export let current: Call;

export function beginCall(call: Call): void {
  current = call;
}

export function nameCall(name: string): void {
  current.name = name;
}
