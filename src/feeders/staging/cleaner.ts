import { addCounts, type Sanitiser, type SpokenPlace, withoutQuotes } from '../../sanitiser/index.js';

/** Sanitises texts and counts the redactions by kind. */
export class Cleaner {
  readonly redacted: Record<string, number> = {};

  constructor(private readonly sanitiser: Sanitiser) {}

  async text(text: string, place?: SpokenPlace): Promise<string> {
    if (text === '') return text;
    const cleaned = await this.sanitiser.clean(text, place);
    addCounts(this.redacted, cleaned.redacted);
    return cleaned.text;
  }

  async value(value: unknown): Promise<unknown> {
    const cleaned = await this.sanitiser.cleanValue(value);
    addCounts(this.redacted, cleaned.redacted);
    return cleaned.value;
  }

  /** A user's turn or a tool's result without its quotes from the palace. */
  unquoted(original: string, readsPalace = false): string {
    const { text, quoted } = withoutQuotes(original, readsPalace);
    if (quoted) addCounts(this.redacted, { echo: 1 });
    return text;
  }
}
