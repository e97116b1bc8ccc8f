import type { Command } from 'commander';
import type { Io } from '../../terminal/io.js';

/** One run of a program. */
export interface Call {
  /** The name of the command that the arguments have reached so far, such as `mempalace facts add`. */
  path: string;
  /** The command itself, if a parser read the arguments. */
  command?: Command;
  /** The group that was named without one of its commands, and does what its default command does. */
  bare?: string;
  argv: readonly string[];
  io: Io;
  /** Set by the command. */
  exitCode: number;
}

/** The call that runs. Commander passes only flags, so actions read it before their first await. */
export let current: Call | undefined;

export function beginCall(call: Call): void {
  current = call;
}
