import type { Part } from '../../core/parts.js';
import { isEchoLine, readsPalace } from '../../sanitiser/index.js';
import { Cleaner } from '../staging/cleaner.js';
import type { Turn } from './turns.js';

/** Removes from a transcript what must not be stored, and what the palace itself said in it. */
export class TranscriptCleaner extends Cleaner {
  /** Ids of calls that read the palace: their results quote it. */
  readonly #reading = new Set<string>();

  /** The cleaned turn, without texts that became empty. */
  async turn(turn: Turn): Promise<Turn> {
    const parts: Part[] = [];
    for (const part of turn.parts) {
      const cleaned = await this.#part(part, turn.role);
      if (cleaned.kind !== 'text' || cleaned.text.trim() !== '') parts.push(cleaned);
    }
    // Text that a hook injected in the user's name is not a question.
    const injected = turn.role === 'user' && parts.length > 0 && parts.every(isEcho);
    return { ...turn, parts, spoken: turn.spoken && !injected };
  }

  async #part(part: Part, role: Turn['role']): Promise<Part> {
    if (part.kind === 'call') {
      if (part.id !== undefined && readsPalace(part.name, part.input)) this.#reading.add(part.id);
      const input = await this.value(part.input);
      return { ...part, name: await this.text(part.name), input };
    }
    if (part.kind === 'text') {
      if (role === 'assistant') return { ...part, text: await this.text(part.text) };
      return { ...part, text: await this.text(this.unquoted(part.text), 'turn') };
    }
    const reads = part.id !== undefined && this.#reading.has(part.id) && !part.error;
    return { ...part, text: await this.text(this.unquoted(part.text, reads), 'result') };
  }
}

function isEcho(part: Part): boolean {
  return part.kind === 'text' && isEchoLine(part.text.trim());
}
