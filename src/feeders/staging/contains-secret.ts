import { createReadStream } from 'node:fs';
import type { Scope } from '../../sanitiser/index.js';

/** Whether the text or the title of a staged transcript contains a secret that is known to `scope`. */
export async function containsSecret(path: string, scope: Scope, signal?: AbortSignal): Promise<boolean> {
  let rest = '';
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: 256 * 1024 })) {
    signal?.throwIfAborted();
    const lines = `${rest}${String(piece)}`.split('\n');
    rest = lines.pop() ?? '';
    if (lines.some((line) => lineContainsSecret(line, scope))) return true;
  }
  return rest !== '' && lineContainsSecret(rest, scope);
}

/** Ids of the line are not tested: they are the same in every transcript of these rows. */
function lineContainsSecret(line: string, scope: Scope): boolean {
  const { message, cwd, title, summary } = JSON.parse(line) as Record<string, unknown>;
  const waiting = [message, cwd, title, summary].filter((value) => value !== undefined && value !== null);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (typeof value === 'string') {
      if (scope.containsKnown(value)) return true;
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) waiting.push(item ?? '', key);
    }
  }
  return false;
}
