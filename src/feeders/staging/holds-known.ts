import { createReadStream } from 'node:fs';
import type { Scope } from '../../sanitiser/index.js';

/** Whether anything that a staged transcript says, or is called, has a secret in it that is known by now. */
export async function holdsKnown(path: string, scope: Scope, signal?: AbortSignal): Promise<boolean> {
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    signal?.throwIfAborted();
    const lines = `${rest}${String(piece)}`.split('\n');
    rest = lines.pop() ?? '';
    if (lines.some((line) => lineHoldsKnown(line, scope))) return true;
  }
  return rest !== '' && lineHoldsKnown(rest, scope);
}

/** What identifies a line is left out: it is the same in every transcript of these rows. */
function lineHoldsKnown(line: string, scope: Scope): boolean {
  const { message, cwd, title, summary } = JSON.parse(line) as Record<string, unknown>;
  const waiting = [message, cwd, title, summary].filter((value) => value !== undefined && value !== null);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string') {
      if (scope.standsIn(value)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) waiting.push(item ?? '', key);
    }
  }
  return false;
}
