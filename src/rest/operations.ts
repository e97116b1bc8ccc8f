import type { z } from 'zod';
import { addressOf } from '../adapters/rest.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { type Action, defineAction } from './action.js';
import { defineRoute, machineOf, type Route } from './route.js';

const addressed = NAMED_OPERATIONS.filter(([, { address }]) => address !== undefined);

const isAction = ([, { reads, posts }]: (typeof addressed)[number]): boolean =>
  reads !== true || posts === true;

/** The operations that only read. */
export const OPERATION_ROUTES: Route[] = addressed
  .filter((each) => !isAction(each))
  .map(([name, operation]) => {
    const { takes, ...address } = addressOf(name, operation);
    return defineRoute({ ...address, query: takes as unknown as z.ZodObject });
  });

/** Those that take POST. */
export const OPERATION_ACTIONS: Action[] = addressed.filter(isAction).map(([name, operation]) => {
  const { takes, answer, ...address } = addressOf(name, operation);
  const { reads = false, slow: long = false, ofMachine } = operation;
  return defineAction({
    ...{ ...address, reads, long },
    body: takes as unknown as z.ZodObject,
    async act(given, asked) {
      const cache = ofMachine === true ? machineOf(asked).cache : undefined;
      return answer(given, { ...asked, cache });
    },
  });
});
