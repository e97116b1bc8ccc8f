import { isRecord } from '../../../core/json.js';

/** What every run says of the whole palace: the last one knows. */
const OF_THE_PALACE: readonly string[] = ['drawers_total', 'pending'];
const LARGEST = 3;

/**
 * The documents of several runs as one: numbers are added, lists joined, and objects of them likewise. Of other values,
 * the last one counts.
 */
export function joined(documents: readonly object[]): Record<string, unknown> {
  const all: Record<string, unknown> = {};
  for (const document of documents)
    for (const [name, value] of Object.entries(document))
      all[name] = OF_THE_PALACE.includes(name) ? value : sum(all[name], value);
  const { largest } = all;
  if (Array.isArray(largest)) all.largest = largest.sort((a, b) => b.bytes - a.bytes).slice(0, LARGEST);
  return all;
}

function sum(before: unknown, value: unknown): unknown {
  if (typeof before === 'number' && typeof value === 'number') return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (isRecord(before) && isRecord(value)) return joined([before, value]);
  return value;
}
