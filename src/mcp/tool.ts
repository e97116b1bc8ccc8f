import type { z } from 'zod';
import type { Config } from '../config/index.js';
import type { UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';
import type { Writer } from '../service/palace/resources.js';
import type { ModelIdentity } from '../store/index.js';

/** Names for tools that are chosen together, apart from `core` and `all`. */
export const TOOL_SETS = ['collections', 'tasks'] as const;

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
  /** Tools that are chosen together. */
  readonly set?: (typeof TOOL_SETS)[number];
  /**
   * A client that is confined to a wing gets it. All that it answers about the palace is from `call.service`; it runs no
   * program, and names nothing of the machine.
   */
  readonly inWing?: boolean;
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

/** As a `ServiceCall`, it aborts when the client cancels, the deadline has passed, or the server ends. */
export interface Call extends ServiceCall {
  readonly host: Host;
  readonly service: PalaceService;
  /** Milliseconds until the deadline. */
  left(): number;
  /** The folders that the client works in, else the server's working folder; absolute. */
  folders(): Promise<readonly string[]>;
}

/** How far a program is. */
interface Reported {
  step: string;
  done: number;
  total: number;
  note: string;
}

/** Provided by the program that runs the server. */
export interface Host extends Writer {
  /** Folder of the palace, absolute. */
  readonly folder: string;
  readonly config: Config;
  /** An environment error (incomplete installation, full disk) as a `UserError` with a hint; undefined for a bug. */
  known(error: unknown): UserError | undefined;
  /** Loads the model of a palace. @throws UserError when it is missing or unknown */
  embedder(identity: ModelIdentity): Promise<Embedder>;
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
    onProgress?: (progress: Reported) => void,
  ): Promise<unknown>;
}
