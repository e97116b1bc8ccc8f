import { factRowOf } from '../../knowledge/facts/exchange.js';
import type { Fact } from '../../store/index.js';

/**
 * A fact as `mempalace kg` gives it under --json; see docs/json-output.md.
 *
 * @param current whether it holds now
 */
export function factJson(fact: Fact, current: boolean): Record<string, unknown> {
  return { ...factRowOf(fact), current };
}
