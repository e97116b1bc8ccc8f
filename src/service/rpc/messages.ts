import type { ErrorCode } from '../../core/errors.js';
import type { Asked, ServiceCall } from '../contract/index.js';

/** What passes between a client and the service: plain data, one message per line or per post. */
export type Request =
  | (Asked & { id: number; input: unknown; by: Omit<ServiceCall, 'signal'> })
  /** The answer is no longer wanted. */
  | { cancel: number };

export type Response = { id: number } & (
  | { result: unknown }
  | { error: { code: ErrorCode; message: string; hint?: string | undefined } }
  /** Not caused by a user. */
  | { bug: { message: string; stack?: string | undefined } }
);

/** A connection that carries messages in both directions, in order. */
export interface Link<Out, In> {
  send(message: Out): void;
  /** Each is called once, before anything arrives. `end` comes once, with the reason if there is one. */
  listen(onMessage: (message: In) => void, onEnd: (reason?: Error) => void): void;
  close(): void;
}
