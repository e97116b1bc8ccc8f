import type { z } from 'zod';
import type { Config } from '../config/index.js';
import type { UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import type { Sanitiser } from '../sanitiser/index.js';
import type { ModelIdentity, Palace, RunStart } from '../store/index.js';
import type { WarmModel } from './warm-model.js';

/**
 * A tool that agents call. They get its result as JSON text and as structured content.
 * A thrown `UserError` becomes `isError` with `error`, `hint` and `code`; every other error is a bug.
 */
export interface Tool<Input extends z.ZodObject = z.ZodObject, Output extends z.ZodObject = z.ZodObject> {
  /** `mempalace_…` */
  readonly name: string;
  /** One line, for people. */
  readonly title: string;
  /** Read by an agent before it calls: when to use the tool, what it returns. Every agent pays for each word. */
  readonly description: string;
  /** Unknown arguments are ignored and reported; a destructive tool refuses them. */
  readonly input: Input;
  /** Keys of every result; a result may have more. */
  readonly output: Output;
  /** On by default. */
  readonly core?: boolean;
  /** Changes the palace: absent under --read-only, recorded in the write log. */
  readonly writes?: boolean;
  /** May remove something permanently. */
  readonly destructive?: boolean;
  /** Repeating the call changes nothing more. */
  readonly idempotent?: boolean;
  /** Fields for the write log: places and ids, never content. */
  logged?(input: z.output<Input>, output: z.output<Output>): Record<string, unknown>;
  run(input: z.output<Input>, call: Call): Promise<z.input<Output>>;
}

/** Lets the compiler infer the schemas. */
export function defineTool<Input extends z.ZodObject, Output extends z.ZodObject>(
  tool: Tool<Input, Output>,
): Tool {
  return tool;
}

export interface Call {
  readonly host: Host;
  /** Aborts when the client cancels, the deadline has passed, or the server ends. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline. */
  left(): number;
  /** `--agent`, else the name of the client. */
  readonly agent: string;
  /** The folders that the client works in, else the server's working folder; absolute. */
  folders(): Promise<readonly string[]>;
  /** Open for reading, shared by all calls. @throws UserError `not-found` without a palace, and as `Palace.read` */
  palace(): Promise<Palace>;
  /** Reopens the palace, which may have been replaced. */
  reconnect(): Promise<Palace>;
  readonly model: Pick<WarmModel, 'now' | 'wait'>;
  /**
   * Does one short write that needs no run lock; `run` is its record. While another program writes, `work` is repeated
   * until the deadline: it must change everything in one transaction.
   */
  write<T>(work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
}

/** Provided by the program that runs the server. */
export interface Host {
  /** Folder of the palace, absolute. */
  readonly folder: string;
  readonly config: Config;
  /** An environment error (incomplete installation, full disk) as a `UserError` with a hint; undefined for a bug. */
  known(error: unknown): UserError | undefined;
  /** As configured; everything that is filed passes it. */
  sanitiser(): Promise<Sanitiser>;
  /** Loads the model of a palace. @throws UserError when it is missing or unknown */
  embedder(identity: ModelIdentity): Promise<Embedder>;
  /** Opens the palace for one short write without the run lock, and creates it if there is none. */
  write<T>(command: string, work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
  /**
   * Clears what writes removed from vectors, free pages and the WAL.
   *
   * @returns false when a running run will do it, or a reader keeps the WAL
   */
  clearTraces(signal: AbortSignal): Promise<boolean>;
  /**
   * Runs one of the toolkit's programs in a child process, with --json and --palace.
   *
   * @returns the printed document
   * @throws UserError with the program's error
   */
  program(
    name: 'mempalace' | 'mempalace-docs' | 'mempalace-session',
    args: readonly string[],
    signal: AbortSignal,
  ): Promise<unknown>;
}
