import type { Palace } from '../../store/index.js';
import { line, type Terminal } from '../../terminal/terminal.js';
import type { CommandContext } from './runner.js';

/** Runs `work` with the palace opened for reading. @param warns if its indexes do not fit its rows and may miss some */
export async function withPalace<T>(
  { folders, terminal }: CommandContext,
  work: (palace: Palace) => T | Promise<T>,
  { warns = true } = {},
): Promise<T> {
  const { Palace } = await import('../../store/index.js');
  const palace = Palace.read(folders.palace);
  try {
    const drift = warns ? palace.drift() : undefined;
    if (drift !== undefined) sayWarnings([drift], terminal);
    return await work(palace);
  } finally {
    palace.close();
  }
}

/** Prints warnings, each with its hint. The palace can be used all the same. */
export function sayWarnings(remarks: ReturnType<Palace['warnings']>, terminal: Terminal): void {
  for (const { text, hint } of remarks) {
    terminal.warn(line(text));
    terminal.note(`  hint: ${line(hint)}`);
  }
}
