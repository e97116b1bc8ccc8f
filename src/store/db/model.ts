import { UserError } from '../../core/errors.js';
import { damaged } from './failures.js';
import type { Sql } from './sql.js';

export interface ModelIdentity {
  id: string;
  revision: string;
  dimension: number;
}

/** As `meta` stores it: `use-lite@1-w8/512`. */
export function formatModel({ id, revision, dimension }: ModelIdentity): string {
  return `${id}@${revision}/${dimension}`;
}

/** The reverse of `formatModel`; undefined for another text. */
export function parseModel(text: string): ModelIdentity | undefined {
  const match = /^(?<id>.+)@(?<revision>.+)\/(?<dimension>\d+)$/.exec(text);
  const { id, revision, dimension } = match?.groups ?? {};
  if (id === undefined || revision === undefined) return undefined;
  return { id, revision, dimension: Number(dimension) };
}

/** Whether vectors of the two models may be compared. */
export function sameModel(one: ModelIdentity, other: ModelIdentity): boolean {
  return formatModel(one) === formatModel(other);
}

/** The model of an open palace's vectors. @throws UserError `palace-damaged` when it is not stored */
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
