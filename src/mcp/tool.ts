import type { z } from 'zod';
import type { Batch } from '../common/contract.js';
import type { Config } from '../config/index.js';
import type { Embedder } from '../miner/embed/index.js';
import type { MineResult } from '../miner/mine.js';
import type { Sanitiser } from '../sanitiser/index.js';
import type { ModelIdentity, Palace, RunStamp, RunStart } from '../store/index.js';

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
  /** Opens the palace anew: another may lie there by now. */
  reconnect(): Promise<Palace>;
  /** Of the palace's model, where it is loaded. */
  readonly model: Model;
  /**
   * Files sources under the run lock; waits for other runs as long as the call may last.
   *
   * @param addedBy default: the agent
   */
  file(batch: Batch, addedBy?: string): Promise<MineResult>;
  /** Does other changes under the run lock, with a run on record. */
  change<T>(work: (palace: Palace, run: RunStamp) => T | Promise<T>): Promise<T>;
  /** Does one short write beside any run, without its lock; `run` is what it is to be recorded as. */
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
  /** As the configuration wants it; nothing is filed that has not passed it. */
  sanitiser(): Promise<Sanitiser>;
  /** Loads the model of a palace. @throws UserError when it is not here, or unknown */
  embedder(held: ModelIdentity): Promise<Embedder>;
  /** Holds the palace's run lock while `work` changes it, and records the run; the palace is made where there is none. */
  withRun<T>(options: RunOptions, work: (palace: Palace, run: RunStamp) => Promise<T>): Promise<T>;
  /** Opens the palace for one short write, without the lock; it is made where there is none. */
  write<T>(command: string, work: (palace: Palace, run: RunStart) => Promise<T>): Promise<T>;
  /** Files batches in such a run. */
  mine(palace: Palace, run: RunStamp, batch: Batch, options: MineOptions): Promise<MineResult>;
  /** Runs one of the toolkit's programs in a process of its own, with --json and --palace. */
  program(name: ProgramName, args: readonly string[], signal: AbortSignal): Promise<ProgramResult>;
}

interface RunOptions {
  command: string;
  /** How long another run is waited for. */
  waitMs: number;
  signal: AbortSignal;
}

interface MineOptions {
  addedBy: string;
  embedder: (held: ModelIdentity) => Promise<Embedder>;
  signal: AbortSignal;
}

type ProgramName = 'mempalace' | 'mempalace-docs' | 'mempalace-session';

export interface ProgramResult {
  exitCode: number;
  /** The document on stdout; undefined where there is none. */
  json: unknown;
  /** What it complained of. */
  error: { message: string; hint: string | undefined; code: string } | undefined;
}
