import { UserError } from './errors.js';

/** A text that the user had forgotten was to be filed again. */
export function forgottenError(): UserError {
  return new UserError('failed', 'not filed: forgotten', {
    hint: 'its owner asked to forget it; mempalace forget --allow-again undoes that',
  });
}
