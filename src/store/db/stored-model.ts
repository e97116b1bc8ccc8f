import { UserError } from '../../core/errors.js';
import { type ModelIdentity, parseModel, sameModel } from './model-identity.js';
import type { Sql } from './sql.js';

/**
 * Whose vectors an open palace holds.
 *
 * @throws UserError `palace-damaged` when it does not say
 */
export function storedModel(sql: Sql): ModelIdentity {
  const row = sql.get<{ value: string }>("SELECT value FROM meta WHERE key = 'model'");
  const model = parseModel(row?.value ?? '');
  if (model === undefined) {
    throw new UserError('palace-damaged', 'the palace does not name the model of its vectors', {
      hint: 'mempalace restore --last brings the last backup back; without one, move it away and run the feeders again',
    });
  }
  return model;
}

/** The palace changed its model after a text was embedded: embed it again with the model that `storedModel` gives. */
export class ModelChanged extends UserError {
  constructor(now: ModelIdentity) {
    super('locked', `the palace stores vectors of ${now.id} by now`, {
      hint: 'another program changed its model meanwhile; do the same again',
    });
  }
}

/**
 * Checks that vectors of a model may be compared with those of the palace. A writer calls it inside the transaction
 * that stores them, since another program may change the model at any moment before.
 *
 * @throws ModelChanged when they may not
 */
export function requireModelOf(sql: Sql, model: ModelIdentity): void {
  const stored = storedModel(sql);
  if (!sameModel(stored, model)) throw new ModelChanged(stored);
}
