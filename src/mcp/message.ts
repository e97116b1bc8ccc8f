import { isRecord } from '../core/json.js';

/** A message of JSON-RPC, as a relay sees it. */
export type Message = Record<string, unknown>;
export type Id = string | number;

/** @returns undefined for what is not a request */
export function requestId(message: Message): Id | undefined {
  return message.method === undefined ? undefined : idOf(message);
}

/** @returns undefined for what is not an answer */
export function answerId(message: Message): Id | undefined {
  return message.method === undefined ? idOf(message) : undefined;
}

const isId = (id: unknown): id is Id => typeof id === 'string' || Number.isInteger(id);

/** @returns undefined for what has none */
export const idOf = (message: unknown): Id | undefined =>
  isRecord(message) && isId(message.id) ? message.id : undefined;

/**
 * A message without the nulls that clients in Go, Java and C# write for what is absent, and with an object for each empty
 * list, as PHP writes it. The arguments of a tool are left to `invoke`, except that they may be absent themselves.
 */
export function tidyMessage(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { id, params, ...rest } = message;
  const isNotice = typeof rest.method === 'string' && rest.method.startsWith('notifications/');
  const tidy = withoutNulls(rest);
  if (id !== undefined && !(id === null && isNotice)) tidy.id = id;
  if (isRecord(params)) {
    const { arguments: given, ...others } = params;
    tidy.params = { ...(tidyParameter(others) as Message), ...(isGiven(given) && { arguments: given }) };
  } else if (isGiven(params)) tidy.params = params;
  return tidy;
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null && !isEmptyList(value);

function tidyParameter(value: unknown): unknown {
  if (isEmptyList(value)) return {};
  if (Array.isArray(value)) return value.map(tidyParameter);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === null ? [] : [[key, tidyParameter(each)]])),
  );
}

/** An object without its properties that are null. */
export function withoutNulls(value: Message): Message {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null));
}
