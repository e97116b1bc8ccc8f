import type { ErrorCode } from '../core/errors.js';
import { messageOf, UserError } from '../core/errors.js';
import type { EngineOptions } from './engine.js';

/** What the worker thread is started with. */
export interface WorkerData extends Pick<EngineOptions, 'folder' | 'threads' | 'purpose'> {
  modelId: string;
  /** Of the `NativeGate` between the threads. */
  gate: SharedArrayBuffer;
}

export type ToWorker =
  | { kind: 'embed'; id: number; texts: string[]; role: 'passage' | 'query' }
  /** Nobody waits for it any more. */
  | { kind: 'drop'; id: number }
  | { kind: 'close' };

/** `vectors` holds all vectors of the call one after another. */
export type FromWorker =
  | { kind: 'ready' }
  | { kind: 'advanced'; id: number; share: number }
  | { kind: 'embedded'; id: number; vectors: Float32Array }
  | { kind: 'failed'; id: number | undefined; error: SentError };

/** An error as it travels between threads, where classes are lost. */
export interface SentError {
  code: ErrorCode;
  message: string;
  hint: string | undefined;
}

export function toSent(error: unknown): SentError {
  if (error instanceof UserError) return { code: error.code, message: error.message, hint: error.hint };
  return { code: 'failed', message: `embedding failed: ${messageOf(error)}`, hint: undefined };
}

export function fromSent({ code, message, hint }: SentError): UserError {
  return new UserError(code, message, hint === undefined ? {} : { hint });
}
