/** How documents are shortened for agents: each field and each item costs their context. */
import { NOTICE } from '../core/outside.js';
import { Budget } from './budget.js';

/** Without the fields that say nothing. */
export function told<Fields extends object>(fields: Fields): Partial<Fields> {
  const said = Object.entries(fields).filter(
    ([, value]) => value !== null && value !== undefined && value !== '',
  );
  return Object.fromEntries(said) as Partial<Fields>;
}

/** The first or last items, in order, whose estimated size is at most `tokens`. Contains at least one item. */
export function fitting<Item>(items: readonly Item[], tokens: number, which: 'first' | 'last'): Item[] {
  const kept = new Budget(tokens).take(which === 'first' ? items : items.toReversed());
  return which === 'first' ? kept : kept.reverse();
}

/** The remark on items that do not fit. @param next offset of the first of them */
export const didNotFit = (left: number, next: number): string =>
  `${left} more did not fit: ask again with offset ${next}, or a larger max_tokens`;

interface Page {
  head: Record<string, unknown>;
  notes: readonly string[];
  offset: unknown;
  tokens: number;
}

/** The first items of a list that fit into an answer, at least one. Its last note tells where the others begin. */
export function pageFor(
  name: string,
  items: readonly unknown[],
  { head, notes, offset, tokens }: Page,
): Record<string, unknown> {
  const budget = new Budget(tokens);
  budget.spend({ notice: NOTICE, ...head, notes });
  const kept = budget.take(items);
  const left = items.length - kept.length;
  const more = left === 0 ? [] : [didNotFit(left, Number(offset) + kept.length)];
  return { ...head, [name]: kept, notes: [...notes, ...more] };
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
