/**
 * The drawer that replaces one whose text changed: the new drawer with the same distance from the nearest kept drawer
 * before it, else after it. Undefined if the text was removed. `before` and `after` are a source's ids in order.
 */
export function successorOf(
  gone: string,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  return counterpart(gone, before, after) ?? counterpart(gone, [...before].reverse(), [...after].reverse());
}

function counterpart(gone: string, before: readonly string[], after: readonly string[]): string | undefined {
  const places = new Map(after.map((id, index) => [id, index]));
  const from = before.indexOf(gone);
  let anchor = from - 1;
  while (anchor >= 0 && !places.has(before[anchor] ?? '')) anchor -= 1;
  const stayed = anchor < 0 ? -1 : (places.get(before[anchor] ?? '') ?? -1);
  const successor = after[stayed + from - anchor];
  return successor === undefined || before.includes(successor) ? undefined : successor;
}
