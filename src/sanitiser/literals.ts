export interface Literal {
  /** At least two characters, ASCII. */
  text: string;
  /** Ignores case; `text` must be in lower case. */
  anyCase: boolean;
}

/**
 * Called for each occurrence of each literal, in order of place, and at one place from the longest literal to the
 * shortest. A character beyond U+00FF counts as the one with the same low byte (`Ń` as `C`), so callers must check the
 * place with a pattern.
 *
 * @param literal index in the list of literals
 */
export type Visit = (literal: number, place: number) => void;

/** The low five bits of any byte, after a literal of two characters. */
const ANY_THIRD = Array.from({ length: 32 }, (_, bits) => bits);

/** Characters per buffer. */
const STRETCH = 65_536;

/**
 * Searches for many literals in one pass: a few milliseconds per megabyte, several times faster than regular
 * expressions. For each pair of bytes, a mask contains the possible third bytes (their low five bits, which are equal
 * for `a` and `A`); only matching places are compared.
 */
export function scanFor(literals: readonly Literal[]): (text: string, visit: Visit) => void {
  const thirds = new Uint32Array(1 << 14);
  const byStart = new Map<number, { number: number; bytes: Buffer; anyCase: boolean }[]>();
  literals.forEach(({ text, anyCase }, number) => {
    const bytes = Buffer.from(text, 'latin1');
    for (const head of headsOf(text, anyCase)) {
      for (const third of bytes[2] === undefined ? ANY_THIRD : [bytes[2] & 31]) {
        thirds[head] = (thirds[head] ?? 0) | (1 << third);
        const start = (head << 5) | third;
        const row = byStart.get(start) ?? [];
        row.push({ number, bytes, anyCase });
        byStart.set(start, row);
      }
    }
  });
  for (const row of byStart.values()) row.sort((one, other) => other.bytes.length - one.bytes.length);
  const longest = Math.max(2, ...literals.map(({ text }) => text.length));
  const stretch = Buffer.alloc(STRETCH + longest + 2);

  return (text, visit) => {
    for (let offset = 0; offset < text.length; offset += STRETCH) {
      const length = stretch.write(text.slice(offset, offset + STRETCH + longest), 'latin1');
      // Clears the rest of a longer text.
      stretch.fill(0, length, length + 2);
      const end = Math.min(length, STRETCH);
      let first = stretch[0] ?? 0;
      for (let at = 0; at < end; at += 1) {
        const second = stretch[at + 1] ?? 0;
        const head = headOf(first, second);
        first = second;
        const mask = thirds[head] ?? 0;
        if (mask === 0) continue;
        const third = (stretch[at + 2] ?? 0) & 31;
        if ((mask & (1 << third)) === 0) continue;
        for (const { number, bytes, anyCase } of byStart.get((head << 5) | third) ?? [])
          if (at + bytes.length <= length && matchesAt(stretch, at, bytes, anyCase))
            visit(number, offset + at);
      }
    }
  };
}

/** The first two bytes of a literal as one number, in each case. */
function headsOf(text: string, anyCase: boolean): Set<number> {
  const ways = (character: string) => (anyCase ? [character, character.toUpperCase()] : [character]);
  const heads = new Set<number>();
  for (const first of ways(text.charAt(0)))
    for (const second of ways(text.charAt(1))) heads.add(headOf(first.charCodeAt(0), second.charCodeAt(0)));
  return heads;
}

/** Bytes beyond ASCII share numbers with others; the comparison distinguishes them. */
function headOf(first: number, second: number): number {
  return ((first & 0x7f) << 7) | (second & 0x7f);
}

function matchesAt(bytes: Uint8Array, at: number, literal: Uint8Array, anyCase: boolean): boolean {
  for (let index = 0; index < literal.length; index += 1) {
    const byte = bytes[at + index] ?? 0;
    const folded = anyCase && byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (folded !== literal[index]) return false;
  }
  return true;
}
