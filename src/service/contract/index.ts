/** The palace as its clients see it: use cases, not rows. */
import type { z } from 'zod';
import type { Answer, Asked } from './asking.js';
import { isMethod, METHODS, type Method } from './methods.js';
import type { SCHEMAS } from './schemas.js';
import type { drawer } from './words.js';

export type { Answer, Asked } from './asking.js';
export { isMethod, METHODS, type Method } from './methods.js';

export type Input<M extends Method> = z.input<(typeof SCHEMAS)[M]['input']>;
export type Output<M extends Method> = z.output<(typeof SCHEMAS)[M]['output']>;

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
export type PalaceService = {
  [M in Method]: (input: Input<M>, call: ServiceCall) => Promise<Output<M>>;
} & {
  /** Answers an operation with its document. @throws UserError `usage` for another input than it takes */
  ask(operation: Asked, input: unknown, call: ServiceCall): Promise<Answer>;
};

/**
 * A service that gives every call to one function, which must answer as the method or the operation does. The compiler does
 * not see that method, input and answer belong together.
 */
export function serviceFrom(
  answer: (asked: Asked, input: unknown, call: ServiceCall) => Promise<unknown>,
): PalaceService {
  const methods = Object.entries(METHODS).map(([name, { reads }]) => {
    const asked: Asked = reads ? { name, reads } : { name };
    return [name, async (input: unknown, call: ServiceCall): Promise<unknown> => answer(asked, input, call)];
  });
  // Of an operation, only what every process knows is sent.
  const ask: PalaceService['ask'] = async ({ name, reads }, input, call) =>
    (await answer(reads === true ? { name, reads } : { name }, input, call)) as Answer;
  return Object.fromEntries([...methods, ['ask', ask]]) as PalaceService;
}

/** Calls a method or an operation by its name; the caller knows that the input fits. */
export function callMethod(
  service: PalaceService,
  asked: Asked,
  input: unknown,
  call: ServiceCall,
): Promise<unknown> {
  if (!isMethod(asked.name)) return service.ask(asked, input, call);
  return (service[asked.name] as (input: unknown, call: ServiceCall) => Promise<unknown>)(input, call);
}

export type Drawer = z.output<typeof drawer>;
export type Shown = Output<'show'>;
export type DrawerPlace = Omit<Extract<Shown, { kind: 'drawer' }>, 'kind'>;
export type Source = Extract<Shown, { kind: 'source' }>['source'];
export type WakeUp = Output<'wakeUp'>;
