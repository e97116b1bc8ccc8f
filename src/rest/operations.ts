import type { z } from 'zod';
import { addressOf } from '../adapters/rest.js';
import { NAMED_OPERATIONS } from '../operations/all.js';
import { type Action, defineAction } from './action.js';
import { defineRoute, type Route } from './route.js';

const addressed = NAMED_OPERATIONS.filter(([, { address }]) => address !== undefined);

/** The operations that only read. */
export const OPERATION_ROUTES: Route[] = addressed
  .filter(([, { reads }]) => reads === true)
  .map(([name, operation]) => {
    const { takes, ...address } = addressOf(name, operation);
    return defineRoute({ ...address, query: takes as unknown as z.ZodObject });
  });

/** Those that write. */
export const OPERATION_ACTIONS: Action[] = addressed
  .filter(([, { reads }]) => reads !== true)
  .map(([name, operation]) => {
    const { takes, answer, ...address } = addressOf(name, operation);
    return defineAction({ ...address, body: takes as unknown as z.ZodObject, act: answer });
  });
