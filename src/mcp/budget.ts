import { estimateTokens } from '../reading/index.js';
import { QUARTERS, quartersOf } from '../reading/tokens.js';

/** A text as much of which is told as there is room for. */
export interface Told {
  text: string;
  /** Present when there is more. */
  cut?: true;
}

/** The most that a call may answer, in tokens; shared out among texts in the order of their worth. */
export class Budget {
  #left: number;

  /** @param tokens of the whole answer */
  constructor(tokens: number) {
    this.#left = tokens;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes away what something costs that is told in any case. */
  spend(value: unknown): void {
    this.#left -= estimateTokens(typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** As many of these, from the first on, as there is room for; one in any case. They are spent. */
  take<T>(items: readonly T[]): T[] {
    const taken: T[] = [];
    for (const item of items) {
      if (taken.length > 0 && this.#left < estimateTokens(JSON.stringify(item))) break;
      this.spend(item);
      taken.push(item);
    }
    return taken;
  }

  /**
   * As much of a text as its share allows, to the end of a line where there is one.
   *
   * @param sharers texts that are still to come, this one among them
   * @param least tokens that it gets in any case
   */
  tell(text: string, sharers: number, least = 0): Told {
    const share = Math.max(least, Math.floor(this.#left / Math.max(1, sharers)));
    const told = beginningOf(text, share);
    this.spend(told);
    return told === text ? { text } : { text: told, cut: true };
  }
}

const LEAST_LINES_SHARE = 0.5;

/** A beginning of at most so many estimated tokens that does not end within a character. */
export function beginningOf(text: string, tokens: number): string {
  return beginningWithin(text, tokens * QUARTERS, quartersOf);
}

/**
 * A beginning of at most so many quarters of tokens that does not end within a character.
 *
 * @param measure quarters that a text takes, at least one for each of its UTF-16 units but for a pair of them
 */
export function beginningWithin(text: string, quarters: number, measure: (text: string) => number): string {
  if (measure(text) <= quarters) return text;
  // A measure grows with the text: the longest beginning that fits is found by halving.
  let low = 0;
  let high = Math.max(0, Math.min(text.length, quarters));
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (measure(text.slice(0, middle)) <= quarters) low = middle;
    else high = middle - 1;
  }
  const line = text.lastIndexOf('\n', low - 1) + 1;
  const end = line > low * LEAST_LINES_SHARE ? line : low;
  return text.slice(0, /[\ud800-\udbff]$/.test(text.slice(0, end)) ? end - 1 : end);
}
