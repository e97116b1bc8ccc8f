import type * as z from 'zod/mini';
import { type Tool as AdaptedTool, type Declared, toolOf } from '../adapters/mcp.js';
import type { Config } from '../config/index.js';
import type { UserError } from '../core/errors.js';
import type { Embedder } from '../embedding/index.js';
import type { PalaceService, ServiceCall } from '../service/contract/index.js';
import type { Writer } from '../service/palace/resources.js';
import type { ModelIdentity } from '../store/index.js';

/** A tool that agents call. */
export type Tool = AdaptedTool<Call>;

/** A tool that is no operation: it runs a program, or asks several things. */
export const defineTool = <Input extends z.ZodMiniObject>(declared: Declared<Call, Input>): Tool =>
  toolOf(declared);

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
