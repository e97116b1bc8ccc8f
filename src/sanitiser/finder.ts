import type { Finding } from './findings.js';
import { type Literal, scanFor } from './literals.js';

/** Looks for secrets where certain words stand. */
export interface Finder {
  anchors: readonly Literal[];
  /**
   * The secrets that are known by a word at this place; undefined when there is nothing. What lies before `next` is
   * done with.
   */
  at(text: string, place: number, anchor: string): { findings: readonly Finding[]; next: number } | undefined;
}

/** Asks each finder where its words stand, all of them looked for in one pass; the findings by finder, in its order. */
export function askAll(finders: readonly Finder[]): (text: string) => Finding[] {
  const literals = new Map<string, { literal: Literal; asked: number[] }>();
  finders.forEach(({ anchors }, asked) => {
    for (const literal of anchors) {
      const key = `${literal.anyCase} ${literal.text}`;
      const known = literals.get(key);
      if (known === undefined) literals.set(key, { literal, asked: [asked] });
      else known.asked.push(asked);
    }
  });
  const rows = [...literals.values()];
  const scan = scanFor(rows.map(({ literal }) => literal));

  return (text) => {
    const found: Finding[][] = finders.map(() => []);
    const next = finders.map(() => 0);
    scan(text, (number, place) => {
      const { asked, literal } = rows[number] ?? { asked: [] };
      for (const each of asked) {
        if (place < (next[each] ?? 0)) continue;
        const answer = finders[each]?.at(text, place, literal?.text ?? '');
        if (answer === undefined) continue;
        found[each]?.push(...answer.findings);
        next[each] = answer.next;
      }
    });
    return found.flat();
  };
}

/** What a sticky pattern matches at a place. */
export function matchAt(sticky: RegExp, text: string, place: number): RegExpExecArray | null {
  sticky.lastIndex = place;
  return sticky.exec(text);
}

/** Literals that count as they are written. */
export const exactly = (texts: readonly string[]): Literal[] =>
  texts.map((text) => ({ text, anyCase: false }));

/** Literals, in lower case, that count in capitals, too. */
export const inAnyCase = (texts: readonly string[]): Literal[] =>
  texts.map((text) => ({ text, anyCase: true }));
