/**
 * Which drawer takes the place of one whose text changed: the new one that stands as many places behind the
 * last drawer before it that stayed (or before the next one that stayed). Undefined where there is none: the
 * text was taken out.
 *
 * @param gone an id of `before` that is not in `after`
 * @param before ids of a source's drawers in order, until now
 * @param after the same from now on
 */
export function successorOf(
  gone: string,
  before: readonly string[],
  after: readonly string[],
): string | undefined {
  return heirBehind(gone, before, after) ?? heirBehind(gone, [...before].reverse(), [...after].reverse());
}

function heirBehind(gone: string, before: readonly string[], after: readonly string[]): string | undefined {
  const places = new Map(after.map((id, index) => [id, index]));
  const from = before.indexOf(gone);
  let anchor = from - 1;
  while (anchor >= 0 && !places.has(before[anchor] ?? '')) anchor -= 1;
  const stayed = anchor < 0 ? -1 : (places.get(before[anchor] ?? '') ?? -1);
  const heir = after[stayed + from - anchor];
  return heir === undefined || before.includes(heir) ? undefined : heir;
}
