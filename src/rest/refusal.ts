import { UserError } from '../core/errors.js';

/** An error of a request itself, with its HTTP status. */
export class Refusal extends UserError {
  constructor(
    readonly status: number,
    message: string,
    hint?: string,
  ) {
    super('usage', message, { hint });
  }
}
