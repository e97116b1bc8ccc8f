/** Which model made a vector. */
export interface ModelIdentity {
  id: string;
  revision: string;
  /** Numbers per vector. */
  dimension: number;
}

/** As `meta` keeps it: `use-lite@1-w8/512`. */
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
