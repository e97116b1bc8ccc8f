import { UserError } from '../../core/errors.js';
import { damaged } from './failures.js';
import type { Sql } from './sql.js';

/** Which model made a vector. */
export interface ModelIdentity {
  id: string;
  revision: string;
  /** Numbers per vector. */
  dimension: number;
}

/** As `meta` stores it: `use-lite@1-w8/512`. */
export function formatModel({ id, revision, dimension }: ModelIdentity): string {
  return `${id}@${revision}/${dimension}`;
}

/** The reverse; undefined for a text that `formatModel` did not make. */
export function parseModel(text: string): ModelIdentity | undefined {
  const match = /^(?<id>.+)@(?<revision>.+)\/(?<dimension>\d+)$/.exec(text);
  const { id, revision, dimension } = match?.groups ?? {};
  if (id === undefined || revision === undefined) return undefined;
  return { id, revision, dimension: Number(dimension) };
}

/** True when vectors of the two may be compared. */
export function sameModel(one: ModelIdentity, other: ModelIdentity): boolean {
  return formatModel(one) === formatModel(other);
}

/**
 * The model of an open palace's vectors.
 *
 * @throws UserError `palace-damaged` when the palace does not name it
 */
export function storedModel(sql: Sql): ModelIdentity {
  const model = parseModel(sql.value<string>("SELECT value FROM meta WHERE key = 'model'") ?? '');
  if (model === undefined) throw damaged('the palace does not name the model of its vectors');
  return model;
}

/** The palace changed its model after a text was embedded: embed it again with the model that `storedModel` gives. */
export class ModelChanged extends UserError {
  constructor(now: ModelIdentity) {
    super('locked', `the palace stores vectors of ${now.id} by now`, {
      hint: 'another program changed its model meanwhile; run the command again',
    });
  }
}
