import type { z } from 'zod';
import type { Config } from '../config/index.js';
import type { UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import type { Sanitiser } from '../sanitiser/index.js';
import type { ModelIdentity, Palace, RunStart } from '../store/index.js';

/**
 * A tool that agents call. Its result is an object, which they get as JSON text and as structured content.
 * Errors are thrown: a `UserError` becomes `isError` with `error`, `hint` and `code`; all else is a bug.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** `mempalace_…` */
  readonly name: string;
  /** One line, for people. */
  readonly title: string;
  /** What an agent reads before it calls: when to use it, what comes back. Every agent pays for each word. */
  readonly description: string;
  /**
   * Names as MemPalace's users know them. Unknown arguments are passed over, and said to be; what may destroy something
   * refuses them.
   */
  readonly input: Input;
  /** Promised keys; a result may have more. */
  readonly output: Output;
  /** On by default. */
  readonly core: boolean;
  /** Changes the palace: absent under --read-only, and written to the write log. */
  readonly writes: boolean;
  /** May take something away for good. */
  readonly destructive?: boolean;
  /** The same call again changes nothing more. */
  readonly idempotent?: boolean;
  /** What the write log says of a call besides its name: places and ids, never content. */
  logged?(input: z.output<Input>, output: z.output<Output>): Record<string, unknown>;
  run(input: z.output<Input>, call: Call): Promise<z.input<Output>>;
}

/** Lets the compiler infer the schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool;
}

/** What a call has to work with. */
export interface Call {
  readonly host: Host;
  /** Aborts when the client cancels, the deadline has passed, or the server ends. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  left(): number;
  /** Who calls: `--agent`, else the name of the client. */
  readonly agent: string;
  /** Open for reading, the same for all calls. @throws UserError `not-found` while there is none, and as `Palace.read` */
  palace(): Promise<Palace>;
  /** Reopens the palace: another may lie there by now. */
  reconnect(): Promise<Palace>;
  /** Of the palace's model, where it is loaded. */
  readonly model: Model;
  /**
   * Does one short write beside any run, without its lock; `run` is what it is to be recorded as. Where another program
   * writes for long, it is done again until the time is up: `work` must change all in one transaction.
   */
  write<T>(work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
}

/** The embedder, which is loaded in the background. */
export interface Model {
  /** Never waits. Without an embedder `reason` says why. */
  now(held: ModelIdentity): { embedder: Embedder | undefined; reason: string | undefined };
  /** Waits for it. @throws UserError what keeps it from being loaded */
  wait(held: ModelIdentity, signal: AbortSignal): Promise<Embedder>;
}

/** What the server is given by the program around it. */
export interface Host {
  /** Folder of the palace, absolute. */
  readonly folder: string;
  readonly config: Config;
  /** What failed as a sentence with its cure, where it is no bug: an install that is not whole, a full disk. */
  known(error: unknown): UserError | undefined;
  /** As the configuration wants it; nothing is filed that has not passed it. */
  sanitiser(): Promise<Sanitiser>;
  /** Loads the model of a palace. @throws UserError when it is not here, or unknown */
  embedder(held: ModelIdentity): Promise<Embedder>;
  /** Opens the palace for one short write, without the lock; it is made where there is none. */
  write<T>(command: string, work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
  /**
   * Takes what writes took out from vectors, free pages and the log.
   *
   * @returns false when that is left to the end of a run that holds the palace, or a reader keeps the log
   */
  clearTraces(signal: AbortSignal): Promise<boolean>;
  /**
   * Runs one of the toolkit's programs in a process of its own, with --json and --palace.
   *
   * @returns the document that it printed
   * @throws UserError what the program complained of
   */
  program(
    name: 'mempalace' | 'mempalace-docs' | 'mempalace-session',
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown>;
}
