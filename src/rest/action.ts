import type { z } from 'zod';
import type { answers } from './answers.js';
import type { Feeding } from './feeding.js';
import type { Asked } from './route.js';

interface Acted extends Asked {
  readonly feeding: Feeding;
}

/** A writing command as an address that takes POST. */
export interface Action<Body extends z.ZodObject = z.ZodObject> {
  /** Below the API's root. */
  readonly path: `/${string}`;
  /** The command that does the same and prints the same document with --json. */
  readonly command: string;
  readonly summary: string;
  /** The JSON of the request; unknown fields are refused. */
  readonly body: Body;
  /** What it answers: one of these. */
  readonly documents: readonly (keyof typeof answers)[];
  /** It only looks: clients that may only read may ask, and it is not logged. */
  readonly reads?: boolean;
  /** A client that is confined to a wing may ask. All that it answers is from `service`. */
  readonly inWing?: boolean;
  /** It may take minutes. It is not cancelled when its client leaves, which can ask again with the same Idempotency-Key. */
  readonly long?: boolean;
  act(body: z.output<Body>, asked: Acted): Promise<object>;
  /** What the write log says about it, besides the address. Never text of the palace. */
  logged?(body: z.output<Body>): Record<string, unknown>;
}

/** Lets the compiler infer the body. */
export function defineAction<Body extends z.ZodObject>(action: Action<Body>): Action {
  return action as unknown as Action;
}
