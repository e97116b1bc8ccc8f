import { estimateTokens, QUARTERS, quartersOf } from '../core/tokens.js';

/** The beginning of a text. */
export interface Shortened {
  text: string;
  /** Present when the text continues. */
  cut?: true;
}

/** The longest answer of a call, in tokens, shared out among texts. */
export class Budget {
  #left: number;

  constructor(tokens: number) {
    this.#left = tokens;
  }

  get left(): number {
    return this.#left;
  }

  /** Subtracts the cost of a value. */
  spend(value: unknown): void {
    this.#left -= estimateTokens(typeof value === 'string' ? value : JSON.stringify(value));
  }

  /** Takes and spends the first items that fit, at least one. */
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
   * Shortens a text to its share, at the end of a line where possible, and spends it.
   *
   * @param sharers number of texts that are left, this one included
   * @param least tokens that the text gets in any case
   */
  shorten(text: string, sharers: number, least = 0): Shortened {
    const share = Math.max(least, Math.floor(this.#left / Math.max(1, sharers)));
    const beginning = beginningOf(text, share);
    this.spend(beginning);
    return beginning === text ? { text } : { text: beginning, cut: true };
  }
}

const LEAST_LINES_SHARE = 0.5;

/** The beginning of a text, at most `tokens` estimated tokens. It does not end within a character. */
export function beginningOf(text: string, tokens: number): string {
  return beginningWithin(text, tokens * QUARTERS, quartersOf);
}

/**
 * The beginning of a text, at most `quarters` quarters of tokens. It does not end within a character.
 *
 * @param measure quarters of a text: grows with the text, at least one per UTF-16 unit or surrogate pair
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
