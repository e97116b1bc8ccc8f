/** How many texts of a palace a search by meaning reaches. */
export interface Coverage {
  texts: number;
  /** Texts that have no vector yet: they are found by words. */
  pending: number;
  /** Of the texts; rounded down, so 100 only without pending ones. */
  percent: number;
}

export function coverageOf(texts: number, pending: number): Coverage {
  const share = texts === 0 ? 1 : Math.max(0, texts - pending) / texts;
  return { texts, pending, percent: Math.floor(share * 100) };
}

/** Remark about a search while texts have no vector yet; undefined when all have one. */
export function coverageNote({ pending, percent }: Coverage): string | undefined {
  return pending === 0 ? undefined : `by words; meaning for ${percent} %`;
}

/** Remark about drawers that are found by the words of an earlier version only. @param texts drawers */
export function renewalText({ texts, pending, percent }: Coverage): string {
  return `words are renewed: ${percent} %, ${pending} of ${texts} drawers are left; the broker and each run go on (mempalace repair does all)`;
}

/** The same with its numbers and what follows. */
export function coverageText({ texts, pending, percent }: Coverage): string {
  return `by words; meaning for ${percent} %: ${pending} of ${texts} texts have no vector yet, the next run makes them`;
}
