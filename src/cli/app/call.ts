import type { Io } from '../terminal/io.js';

/** One run of a program. */
export interface Call {
  /** Program and command, as the log names them. */
  name: string;
  argv: readonly string[];
  io: Io;
  /** Set by the command. */
  exitCode: number;
}

/** The call whose arguments are parsed: commander hands its actions only flags. They take it before they wait. */
export let current: Call;

export function beginCall(call: Call): void {
  current = call;
}

export function nameCall(name: string): void {
  current.name = name;
}
