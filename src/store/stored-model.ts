import { UserError } from '../common/errors.js';
import { type ModelIdentity, parseModel } from './model-identity.js';
import type { Sql } from './sql.js';

/**
 * Whose vectors an open palace holds.
 *
 * @throws UserError `palace-damaged` when it does not say
 */
export function storedModel(sql: Sql): ModelIdentity {
  const row = sql.prepare<{ value: string }>("SELECT value FROM meta WHERE key = 'model'").get();
  const model = parseModel(row?.value ?? '');
  if (model === undefined) {
    throw new UserError('palace-damaged', 'the palace does not name the model of its vectors', {
      hint: 'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
    });
  }
  return model;
}
