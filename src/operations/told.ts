/** How documents are shortened for agents: each field and each item costs their context. */
import { Budget } from './budget.js';

/** Without the fields that say nothing. */
export function told<Fields extends object>(fields: Fields): Partial<Fields> {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(said) as Partial<Fields>;
}

/** The first or the last items that fit into so many tokens, at least one; in their order. */
export function fitting<Item>(items: readonly Item[], tokens: number, which: 'first' | 'last'): Item[] {
  const kept = new Budget(tokens).take(which === 'first' ? items : items.toReversed());
  return which === 'first' ? kept : kept.reverse();
}

/** Redactions by kind, if there are any. */
export const redactions = (redacted: Record<string, number>): { redacted?: Record<string, number> } =>
  Object.keys(redacted).length === 0 ? {} : { redacted };

/** Longest name of a source that is told, UTF-16 units. */
const LONGEST = 500;

export function shortened(text: string | null): string | null {
  if (text === null || text.length <= LONGEST) return text;
  return `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…`;
}
