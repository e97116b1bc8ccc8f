/** A message of JSON-RPC, as a relay sees it. */
export type Message = Record<string, unknown>;
export type Id = string | number;

/** @returns undefined for what is not a request */
export function requestId({ id, method }: Message): Id | undefined {
  return method !== undefined && isId(id) ? id : undefined;
}

/** @returns undefined for what is not an answer */
export function answerId({ id, method }: Message): Id | undefined {
  return method === undefined && isId(id) ? id : undefined;
}

const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isInteger(id);
