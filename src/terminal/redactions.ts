import type { Terminal } from './terminal.js';

/** `2 token, 1 password` */
export function kindsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');
}

/** Says which kinds of secrets were redacted in what the user gave; silent for none. */
export function warnRedacted(redacted: Readonly<Record<string, number>>, terminal: Terminal): void {
  const kinds = kindsText(redacted);
  if (kinds !== '') terminal.warn(`redacted: ${kinds}`);
}
