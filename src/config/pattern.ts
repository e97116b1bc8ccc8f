interface Part {
  /** Length of the shortest match. */
  least: number;
  /** The maximum number of ways to match at one place; more than one if it can backtrack. */
  ways: number;
}

/** With more ways to match a repeated group, a text that does not match takes seconds. */
const MOST_WAYS = 100_000;

/**
 * The reason why a regular expression (flags `gu`) is not safe for every text; undefined when it is safe. It is unsafe
 * when it is invalid, matches the empty text, or repeats a group that can match in many ways (`(a+)+`, `(a|b)*`,
 * `(a{1,20}){1,20}`): that can take practically forever. Such a group is refused even if its surroundings make it
 * harmless. Adjacent parts that can match the same text (`.*.*`, `\w+\d+x`) are not checked: they take quadratic time
 * per line, or more.
 */
export function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'gu');
  } catch (error) {
    const reason = error instanceof Error ? error.message.split(': ').at(-1) : String(error);
    return `not a regular expression: ${reason}`;
  }
  try {
    if (new PatternReader(pattern).read().least > 0) return undefined;
  } catch (error) {
    if (!(error instanceof RepeatsWays)) throw error;
    return `${error.part} repeats a group that can match in many ways; repeat single characters ([a-z]{8,64}) instead`;
  }
  return 'it matches the empty text';
}

class RepeatsWays extends Error {
  constructor(readonly part: string) {
    super(part);
  }
}

/** Reads a pattern that `RegExp` accepted with the flag `u`, so its syntax is valid. */
class PatternReader {
  #at = 0;

  constructor(private readonly text: string) {}

  read(): Part {
    let least = Number.POSITIVE_INFINITY;
    let ways = 0;
    do {
      const alternative = this.#sequence();
      least = Math.min(least, alternative.least);
      ways += alternative.ways;
    } while (this.#take('|'));
    return { least, ways };
  }

  #sequence(): Part {
    const whole: Part = { least: 0, ways: 1 };
    while (this.#at < this.text.length && !/[|)]/.test(this.#peek())) {
      const start = this.#at;
      const part = this.#repeated(this.#atom(), start);
      whole.least += part.least;
      whole.ways *= part.ways;
    }
    return whole;
  }

  #repeated(body: Part, start: number): Part {
    const quantifier = this.#match(/(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/y);
    if (quantifier === undefined) return body;
    const [sign = '', from, comma, to] = quantifier;
    const min = from === undefined ? (sign.startsWith('+') ? 1 : 0) : Number(from);
    let max = sign.startsWith('?') ? 1 : Number.POSITIVE_INFINITY;
    if (from !== undefined && comma === '') max = min;
    if (to !== undefined && to !== '') max = Number(to);
    if (max > 1 && body.ways > 1 && body.ways ** max > MOST_WAYS) {
      throw new RepeatsWays(this.text.slice(start, this.#at));
    }
    return { least: body.least * min, ways: (max - min + 1) * (body.ways > 1 ? body.ways ** max : 1) };
  }

  #atom(): Part {
    if (this.#take('(')) return this.#group();
    if (this.#match(/\[(?:\\[\s\S]|[^\\\]])*\]/y) !== undefined) return { least: 1, ways: 1 };
    if (this.#match(/[\^$]|\\[bB]/y) !== undefined) return { least: 0, ways: 1 };
    // A referenced group may match the empty text, or text of any length.
    if (this.#match(/\\k<[^>]*>|\\[1-9]\d*/y) !== undefined) {
      return { least: 0, ways: Number.POSITIVE_INFINITY };
    }
    this.#match(/\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})/y) ??
      this.#match(/\\(?:u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[\s\S])|[\s\S]/uy);
    return { least: 1, ways: 1 };
  }

  /** After the opening bracket. */
  #group(): Part {
    const around = this.#match(/\?<?[=!]/y) !== undefined;
    this.#match(/\?(?:<[^>]*>|[a-z-]*:)/y);
    const inside = this.read();
    this.#take(')');
    return around ? { least: 0, ways: 1 } : inside;
  }

  #peek(): string {
    return this.text[this.#at] ?? '';
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.text);
    if (match === null) return undefined;
    this.#at += match[0].length;
    return match;
  }
}
