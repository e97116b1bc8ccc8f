import type { Finding } from './findings.js';
import { type Literal, scanFor } from './literals.js';

/** Finds secrets at the places of certain literals. */
export interface Finder {
  anchors: readonly Literal[];
  /** The secrets at an anchor, or undefined. The finder is not called again for places before `next`. */
  at(text: string, place: number, anchor: string): { findings: readonly Finding[]; next: number } | undefined;
}

/** Applies all finders in one pass over a text. The findings are in the order of the finders. */
export function combined(finders: readonly Finder[]): (text: string) => Finding[] {
  const anchors = finders.flatMap((finder, order) =>
    finder.anchors.map((literal) => ({ literal, finder, order })),
  );
  const scan = scanFor(anchors.map(({ literal }) => literal));
  return (text) => {
    const found: Finding[][] = finders.map(() => []);
    const next = finders.map(() => 0);
    scan(text, (number, place) => {
      const anchor = anchors[number];
      if (anchor === undefined || place < (next[anchor.order] ?? 0)) return;
      const answer = anchor.finder.at(text, place, anchor.literal.text);
      if (answer === undefined) return;
      found[anchor.order]?.push(...answer.findings);
      next[anchor.order] = answer.next;
    });
    return found.flat();
  };
}

/** The match of a sticky pattern at a place. */
export function matchAt(sticky: RegExp, text: string, place: number): RegExpExecArray | null {
  sticky.lastIndex = place;
  return sticky.exec(text);
}

/** Literals in their own case. */
export const exactly = (texts: readonly string[]): Literal[] =>
  texts.map((text) => ({ text, anyCase: false }));

/** Literals in any case. @param texts in lower case */
export const inAnyCase = (texts: readonly string[]): Literal[] =>
  texts.map((text) => ({ text, anyCase: true }));
