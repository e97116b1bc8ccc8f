import type { Palace } from '../../store/index.js';
import { line, type Terminal } from '../terminal/terminal.js';
import type { CommandContext } from './runner.js';

/** Opens a palace for reading, and says so when its indexes do not fit its rows: what is found may not be all. */
export async function openPalace(folder: string, terminal: Terminal): Promise<Palace> {
  const { Palace } = await import('../../store/index.js');
  const palace = Palace.read(folder);
  const drift = palace.drift();
  if (drift !== undefined) sayWarnings([drift], terminal);
  return palace;
}

/** Runs `work` with the palace of a command opened for reading. */
export async function withPalace<T>(
  { folders, terminal }: CommandContext,
  work: (palace: Palace) => T | Promise<T>,
): Promise<T> {
  const palace = await openPalace(folders.palace, terminal);
  try {
    return await work(palace);
  } finally {
    palace.close();
  }
}

/** Warnings that keep nobody from using the palace, each with what to do about it. */
export function sayWarnings(remarks: ReturnType<Palace['warnings']>, terminal: Terminal): void {
  for (const { text, hint } of remarks) {
    terminal.warn(line(text));
    terminal.note(`  hint: ${line(hint)}`);
  }
}
