import { z } from 'zod';
import type { Turn } from '../../entry.js';
import { typeOf } from '../../records.js';

const operation = z.object({
  type: z.literal('queue-operation'),
  operation: z.string(),
  content: z.string().nullish(),
  timestamp: z.string().optional().catch(undefined),
});

interface Waiting {
  text: string;
  at: string | undefined;
}

/**
 * What was typed while the agent worked waits in a queue, which the transcript tells of. What the agent got stands in
 * a record of its own; what was still waiting when the session ended stands nowhere else.
 */
export class Queue {
  #waiting: Waiting[] = [];

  /** Whether the record is one of the queue's. */
  meet(json: unknown): boolean {
    const data = typeOf(json) === 'queue-operation' ? operation.safeParse(json).data : undefined;
    if (data === undefined) return false;
    const { operation: what, content, timestamp: at } = data;
    if (what === 'enqueue') this.#waiting.push({ text: content ?? '', at });
    else if (what === 'popAll') this.#waiting = [];
    else this.#take(content ?? undefined);
    return true;
  }

  #take(text: string | undefined): void {
    const place = text === undefined ? 0 : this.#waiting.findIndex((each) => each.text === text);
    this.#waiting.splice(Math.max(place, 0), 1);
  }

  /** What nobody took, as what the user said. */
  rest(): Turn[] {
    return this.#waiting
      .filter(({ text }) => text.trim() !== '' && !text.trimStart().startsWith('<'))
      .map(({ text, at }) => ({
        kind: 'turn',
        role: 'user',
        parts: [{ kind: 'text', text }],
        id: undefined,
        at,
        spoken: !text.startsWith('/'),
        synthetic: text.startsWith('/'),
        ignored: [],
      }));
  }
}
