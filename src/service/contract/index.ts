/** The palace as its clients see it: operations, not rows. */

export type { Drawer, DrawerPlace, Shown, ShownSource, Source } from './texts.js';

/** An operation by its name; those that it is sent to know the rest. */
export interface Asked {
  /** `kg query`; `/kg/query` is the address, and `facts query` the command. */
  readonly name: string;
  /** It changes nothing: it may be asked again, and run beside others. */
  readonly reads?: true;
}

/** Whether indexes and rows agree: asked by name, since its schemas are loaded for nothing else. */
export const DRIFT = { name: 'palace drift', reads: true } as const;

/** JSON, in snake_case. */
export type Answer = Record<string, unknown>;

/** Who asks. */
export interface ServiceCall {
  /** Aborts when the answer is no longer wanted. A write that has begun may be done all the same. */
  readonly signal: AbortSignal;
  /** Recorded with what a call files. */
  readonly agent: string;
  /** The command or tool, for the record of a write. */
  readonly through: string;
  /** How long a write waits for other writers, milliseconds. */
  readonly waitMs: number;
}

/**
 * A palace. Each call sees one state of it, and changes all or nothing. Errors that a user can cause are `UserError`s; all
 * others are bugs.
 */
export interface PalaceService {
  /** Answers an operation with its document. @throws UserError `usage` for another input than it takes */
  ask(operation: Asked, input: unknown, call: ServiceCall): Promise<Answer>;
}

/** A service that gives every call to one function. Of an operation, only what every process knows is passed on. */
export function serviceFrom(
  answer: (asked: Asked, input: unknown, call: ServiceCall) => Promise<unknown>,
): PalaceService {
  return {
    ask: async ({ name, reads }, input, call) =>
      (await answer(reads === true ? { name, reads } : { name }, input, call)) as Answer,
  };
}
