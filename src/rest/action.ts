import type { z } from 'zod';
import type { FeederRuns } from './feeder-runs.js';
import type { Address, Asked } from './route.js';

interface Acted extends Asked {
  readonly feederRuns: FeederRuns;
}

/** A writing command as an address that takes POST. */
export interface Action<Body extends z.ZodObject = z.ZodObject> extends Address {
  /** The JSON of the request; unknown fields are refused. */
  readonly body: Body;
  /** What it answers: one of these. */
  readonly documents: readonly string[];
  /** It only looks: clients that may only read may ask, and it is not logged. */
  readonly reads?: boolean;
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
